// The refunds of all merchants.
import type { ReactNode } from 'react';
import { adminApi } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { RowLink } from '@dashboard/shared/lists/row-link.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { AdminList, type ListQuery } from '../parts/admin-list.js';
import { MoneyFilters, useMoneyColumns } from './money-columns.js';
import { MONEY_TEXTS } from './texts.js';

const PATH = '/v1/admin/refunds';
const STATUSES = ['MANUAL_REQUIRED', 'PENDING', 'SUCCEEDED', 'FAILED'] as const;

export function RefundsView(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const load = (query: ListQuery) => unwrap(adminApi.GET(PATH, { params: { query } }));
  return (
    <Page title={texts.refunds}>
      <AdminList
        label={texts.refunds}
        name="refunds"
        load={load}
        columns={useMoneyColumns()}
        rowKey={({ id }) => id}
        rowLink={({ id }, content) => (
          <RowLink to="/admin/refunds/$refundId" params={{ refundId: id }}>
            {content}
          </RowLink>
        )}
        filters={<MoneyFilters statuses={STATUSES} />}
        empty={texts.noRefunds}
        emptyHelp={texts.noRefundsHelp}
      />
    </Page>
  );
}
