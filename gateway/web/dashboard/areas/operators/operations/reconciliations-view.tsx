// The nightly comparisons with rails, and the differences of one of them.
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { RowLink } from '@dashboard/shared/lists/row-link.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { formatCount, formatDay } from '@dashboard/shared/text/format.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { AdminList, type ListQuery } from '../parts/admin-list.js';
import { PaymentIdLink } from '../parts/links.js';
import { RailFilter } from '../parts/rail-filter.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { OPERATIONS_TEXTS } from './texts.js';

type Reconciliation = AdministratorSchema['Reconciliation'];
type Difference = AdministratorSchema['ReconciliationDifference'];

const PATH = '/v1/admin/reconciliations';
const DIFFERENCES_PATH = '/v1/admin/reconciliation-differences';
const COUNTS = ['matched', 'missing', 'orphan', 'differing', 'unanswered'] as const;

function useColumns(): readonly Column<Reconciliation>[] {
  const texts = useTexts(OPERATIONS_TEXTS);
  const { rail: railName, status: statusName } = useTexts(ADMIN_TEXTS);
  const { language } = useLanguage();
  return [
    { name: texts.day, render: ({ day }) => formatDay(day, language) },
    { name: railName, render: ({ rail }) => rail },
    {
      name: statusName,
      render: ({ status }) => (
        <StatusBadge
          status={status === 'ended' ? 'completed' : 'processing'}
          label={status === 'ended' ? texts.ended : texts.running}
        />
      ),
    },
    ...COUNTS.map((name) => ({
      name: texts[name],
      isNumber: true,
      render: (row: Reconciliation) => formatCount(row[name], language),
    })),
  ];
}

export function ReconciliationsView(): ReactNode {
  const texts = useTexts(OPERATIONS_TEXTS);
  const load = (query: ListQuery) => unwrap(adminApi.GET(PATH, { params: { query } }));
  return (
    <Page title={texts.reconciliations}>
      <AdminList
        label={texts.reconciliations}
        name="reconciliations"
        load={load}
        columns={useColumns()}
        rowKey={({ rail, day }) => `${rail} ${day}`}
        rowLink={({ rail, day }, content) => (
          <RowLink to="/admin/reconciliations/$railDay" params={{ railDay: `${rail}.${day}` }}>
            {content}
          </RowLink>
        )}
        filters={<RailFilter />}
        empty={texts.noReconciliations}
        emptyHelp={texts.noReconciliationsHelp}
      />
    </Page>
  );
}

function useDifferenceColumns(): readonly Column<Difference>[] {
  const texts = useTexts(OPERATIONS_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  const kinds: Readonly<Record<string, string>> = texts.differenceKinds;
  const fields: Readonly<Record<string, string>> = texts.fields;
  return [
    { name: shared.kind, render: ({ kind }) => kinds[kind] ?? kind },
    { name: texts.what, render: ({ field }) => fields[field] ?? field },
    { name: texts.here, render: ({ ours }) => ours || '—' },
    { name: texts.there, render: ({ theirs }) => theirs || '—' },
    { name: texts.orderId, render: ({ order_id: order }) => order },
    {
      name: shared.payment,
      render: ({ payment_id: payment }) =>
        payment === null ? '—' : <PaymentIdLink id={payment} />,
    },
  ];
}

/** `$railDay` is the name of the rail, a dot, and the day. */
export function ReconciliationView(): ReactNode {
  const texts = useTexts(OPERATIONS_TEXTS);
  const { language } = useLanguage();
  const { railDay } = useParams({ from: '/signed-in/admin/reconciliations/$railDay' });
  const [rail = '', day = ''] = railDay.split('.');
  const shownDay = formatDay(day, language);
  const load = (query: ListQuery) =>
    unwrap(
      adminApi.GET(DIFFERENCES_PATH, {
        params: { query: { ...query, rail, day } },
      }),
    );
  return (
    <Page title={`${texts.reconciliation}: ${rail}, ${shownDay}`}>
      <AdminList
        label={texts.differences}
        name={`differences ${railDay}`}
        load={load}
        columns={useDifferenceColumns()}
        rowKey={(row) => [row.order_id, row.kind, row.field, row.subject].join(' ')}
        empty={texts.noDifferences}
        emptyHelp={texts.noDifferencesHelp}
      />
    </Page>
  );
}
