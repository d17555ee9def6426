// The payouts of all merchants.
import type { ReactNode } from 'react';
import { adminApi } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { RowLink } from '@dashboard/shared/lists/row-link.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { AdminList, type ListQuery } from '../parts/admin-list.js';
import { MoneyFilters, useMoneyColumns } from './money-columns.js';
import { MONEY_TEXTS } from './texts.js';

const PATH = '/v1/admin/payouts';
const STATUSES = [
  'MANUAL_REQUIRED',
  'PENDING',
  'PROCESSING',
  'COMPLETED',
  'FAILED',
  'REVERSED',
] as const;

export function PayoutsView(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const load = (query: ListQuery) => unwrap(adminApi.GET(PATH, { params: { query } }));
  return (
    <Page title={texts.payouts}>
      <AdminList
        label={texts.payouts}
        name="payouts"
        load={load}
        columns={useMoneyColumns()}
        rowKey={({ id }) => id}
        rowLink={({ id }, content) => (
          <RowLink to="/admin/payouts/$payoutId" params={{ payoutId: id }}>
            {content}
          </RowLink>
        )}
        filters={<MoneyFilters statuses={STATUSES} />}
        empty={texts.noPayouts}
        emptyHelp={texts.noPayoutsHelp}
      />
    </Page>
  );
}
