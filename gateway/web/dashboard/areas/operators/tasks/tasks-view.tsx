// The operator tasks: open ones of LIVE first.
import type { ReactNode } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ChoiceFilter } from '@dashboard/shared/lists/filters.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { RowLink } from '@dashboard/shared/lists/row-link.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { AdminList, EnvironmentFilter, type ListQuery } from '../parts/admin-list.js';
import { MerchantFilter, MerchantName } from '../parts/merchant-names.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { TASK_TEXTS, useTaskWords } from './texts.js';

type Task = AdministratorSchema['OperatorTask'];

const PATH = '/v1/admin/tasks';

function useColumns(): readonly Column<Task>[] {
  const texts = useTexts(TASK_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  const words = useTaskWords();
  return [
    { name: shared.kind, render: ({ kind }) => words.kind(kind) },
    {
      name: shared.amount,
      isNumber: true,
      render: ({ details: { amount, currency } }) =>
        amount === undefined || currency === undefined ? (
          '—'
        ) : (
          <Money minor={amount} currency={currency} />
        ),
    },
    {
      name: shared.status,
      render: ({ status }) => (
        <StatusBadge
          status={status === 'open' ? 'open' : 'completed'}
          label={status === 'open' ? texts.open : texts.done}
        />
      ),
    },
    {
      name: shared.merchant,
      render: ({ merchant_id: merchant }) => <MerchantName id={merchant} />,
    },
    { name: texts.opened, render: ({ opened_at: at }) => <When at={at} isRelative /> },
  ];
}

export function TasksView(): ReactNode {
  const texts = useTexts(TASK_TEXTS);
  const load = (query: ListQuery) => unwrap(adminApi.GET(PATH, { params: { query } }));
  return (
    <Page title={texts.tasks}>
      <AdminList
        label={texts.tasks}
        name="tasks"
        load={load}
        defaults={{ status: 'open' }}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowLink={({ id }, content) => (
          <RowLink to="/admin/tasks/$taskId" params={{ taskId: id }}>
            {content}
          </RowLink>
        )}
        filters={<TaskFilters />}
        empty={texts.noTasks}
        emptyHelp={texts.noTasksHelp}
      />
    </Page>
  );
}

function TaskFilters(): ReactNode {
  const texts = useTexts(TASK_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  return (
    <>
      <ChoiceFilter
        name="status"
        label={shared.status}
        any={texts.open}
        choices={[
          { value: 'open', label: texts.open },
          { value: 'resolved', label: texts.done },
        ]}
      />
      <ChoiceFilter
        name="kind"
        label={shared.kind}
        any={shared.anyKind}
        choices={Object.entries(texts.kinds).map(([value, label]) => ({ value, label }))}
      />
      <EnvironmentFilter any={texts.liveOnly} />
      <MerchantFilter />
    </>
  );
}
