// The payments of all merchants.
import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { adminApi, type AdministratorSchema, downloadCsv } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import {
  ChoiceFilter,
  DayFilters,
  TextFilter,
  useFilters,
} from '@dashboard/shared/lists/filters.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { ExportButton } from '@dashboard/shared/lists/list-view.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { RowLink } from '@dashboard/shared/lists/row-link.js';
import { PaymentStatus } from '@dashboard/shared/parts/payment-status.js';
import { buildTimeColumn } from '@dashboard/shared/lists/time-column.js';
import { readDays } from '@dashboard/shared/text/days.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import {
  AdminList,
  EnvironmentFilter,
  type ListQuery,
  readListQuery,
} from '../parts/admin-list.js';
import { RailFilter } from '../parts/rail-filter.js';
import { MerchantFilter, MerchantName } from '../parts/merchant-names.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { MONEY_TEXTS } from './texts.js';

type Transaction = AdministratorSchema['Transaction'];

const PATH = '/v1/admin/transactions';
const MAX_FILE_DAYS = 31;
const DAY_MS = 86_400_000;
const INDEXED = ['merchant_id', 'payment_id', 'reference_id', 'rail_transaction_id'];
const STATUSES = ['pending', 'paid', 'failed', 'cancelled', 'refunded'] as const;

function useColumns(): readonly Column<Transaction>[] {
  const texts = useTexts(MONEY_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  return [
    {
      name: shared.amount,
      isNumber: true,
      render: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
    },
    { name: shared.status, render: (payment) => <PaymentStatus payment={payment} /> },
    { name: shared.environment, render: ({ environment }) => environment },
    {
      name: shared.merchant,
      render: ({ merchant_id: merchant }) => <MerchantName id={merchant} />,
    },
    { name: texts.reference, render: ({ reference_id: reference }) => reference ?? '—' },
    {
      name: shared.rail,
      render: ({ attempts }) => [...new Set(attempts.map(({ rail }) => rail))].join(', ') || '—',
    },
    buildTimeColumn(shared.created, ({ created_at: at }) => at),
  ];
}

/** As the API decides (gateway/operators/money/payment-handlers.ts). */
function isSavable(values: ListQuery): boolean {
  if (INDEXED.some((name) => values[name] !== undefined)) return true;
  const { created_from: from, created_to: to } = readDays(values);
  if (from === undefined) return false;
  const endMs = to === undefined ? Date.now() : Date.parse(to);
  return endMs - Date.parse(from) <= MAX_FILE_DAYS * DAY_MS;
}

export function TransactionsView(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const { values } = useFilters();
  const isPartial = values['rail'] !== undefined || values['order_id'] !== undefined;
  const load = (filters: ListQuery) => {
    const query: ListQuery = { ...filters, ...readDays(filters) };
    return unwrap(adminApi.GET(PATH, { params: { query } }));
  };
  const save = (): Promise<void> => {
    const query = readListQuery(values);
    return downloadCsv(PATH, { ...query, ...readDays(query) }, 'transactions.csv');
  };
  return (
    <Page
      title={texts.transactions}
      actions={
        <ExportButton onExport={save} hint={isSavable(values) ? undefined : texts.exportHint} />
      }
    >
      {isPartial && <Alert color="blue">{texts.partial}</Alert>}
      <AdminList
        label={texts.transactions}
        name="transactions"
        load={load}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowLink={({ id }, content) => (
          <RowLink to="/admin/transactions/$paymentId" params={{ paymentId: id }}>
            {content}
          </RowLink>
        )}
        filters={<TransactionFilters />}
        empty={texts.noTransactions}
        emptyHelp={texts.noTransactionsHelp}
      />
    </Page>
  );
}

function TransactionFilters(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  const { status: statuses } = useTexts(SHARED_TEXTS);
  return (
    <>
      <TextFilter name="payment_id" label={shared.payment} placeholder="pay_…" />
      <TextFilter name="reference_id" label={texts.reference} />
      <MerchantFilter />
      <ChoiceFilter
        name="status"
        label={shared.status}
        any={shared.anyStatus}
        choices={STATUSES.map((value) => ({ value, label: statuses[value] }))}
      />
      <EnvironmentFilter />
      <RailFilter />
      <TextFilter name="order_id" label={texts.order} />
      <TextFilter name="rail_transaction_id" label={texts.railTransaction} />
      <DayFilters
        from={{ name: 'created_from', label: texts.from }}
        to={{ name: 'created_to', label: texts.to }}
      />
    </>
  );
}
