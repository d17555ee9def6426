// The approvals: changes of money that need two administrators.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ChoiceFilter } from '@dashboard/shared/lists/filters.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { RowLink } from '@dashboard/shared/lists/row-link.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { AdminList, type ListQuery } from '../parts/admin-list.js';
import { AdministratorName } from '../operations/administrator-name.js';
import { Permitted } from '../parts/permitted.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { ApprovalBadge } from './approval-badge.js';
import { APPROVAL_TEXTS } from './texts.js';

type Approval = AdministratorSchema['Approval'];

const PATH = '/v1/admin/approvals';

function useColumns(): readonly Column<Approval>[] {
  const texts = useTexts(APPROVAL_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  return [
    { name: shared.kind, render: ({ kind }) => texts.kinds[kind] },
    {
      name: shared.amount,
      isNumber: true,
      render: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
    },
    { name: shared.status, render: ({ status }) => <ApprovalBadge status={status} /> },
    { name: texts.proposedBy, render: ({ proposed_by: by }) => <AdministratorName id={by} /> },
    { name: texts.proposed, render: ({ proposed_at: at }) => <When at={at} isRelative /> },
  ];
}

export function ApprovalsView(): ReactNode {
  const texts = useTexts(APPROVAL_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  const load = (query: ListQuery) => unwrap(adminApi.GET(PATH, { params: { query } }));
  const choose = (words: Readonly<Record<string, string>>) =>
    Object.entries(words).map(([value, label]) => ({ value, label }));
  return (
    <Page
      title={texts.approvals}
      actions={
        <Permitted to="decide_money" isQuiet>
          <Button component={Link} to="/admin/corrections">
            {texts.propose}
          </Button>
        </Permitted>
      }
    >
      <AdminList
        label={texts.approvals}
        name="approvals"
        load={load}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowLink={({ id }, content) => (
          <RowLink to="/admin/approvals/$approvalId" params={{ approvalId: id }}>
            {content}
          </RowLink>
        )}
        filters={
          <>
            <ChoiceFilter
              name="status"
              label={shared.status}
              any={shared.anyStatus}
              choices={choose(texts.statuses)}
            />
            <ChoiceFilter
              name="kind"
              label={shared.kind}
              any={shared.anyKind}
              choices={choose(texts.kinds)}
            />
          </>
        }
        empty={texts.noApprovals}
        emptyHelp={texts.noApprovalsHelp}
      />
    </Page>
  );
}
