// The payments of the merchant.
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, downloadCsv, type MerchantQuery } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { hasFilters } from '@dashboard/shared/lists/filters.js';
import { EmptyHint, ExportButton, ListView, NextStep } from '@dashboard/shared/lists/list-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { readDays } from '@dashboard/shared/text/days.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS } from '../parts/texts.js';
import { linkPayment, usePaymentColumns } from './payment-columns.js';
import { PaymentFilters } from './payment-filters.js';
import { PaymentSummary } from './payment-summary.js';

const PATH = '/v1/merchants/me/payments';
type Query = MerchantQuery<typeof PATH>;

export function PaymentsView(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const environment = useEnvironment();
  const search = useSearch({ from: '/signed-in/payments' });
  const navigate = useNavigate({ from: '/payments' });
  const query = { ...search, ...readDays(search), environment, cursor: undefined };
  const load = (from: string | undefined) =>
    unwrap(api.GET(PATH, { params: { query: { ...query, cursor: from } as Query } }));
  const exportAll = (): Promise<void> => downloadCsv(PATH, query, 'payments.csv');
  return (
    <Page title={texts.payments} actions={<ExportButton onExport={exportAll} />}>
      <ListView
        label={texts.payments}
        queryKey={['payments', query]}
        load={load}
        columns={usePaymentColumns()}
        rowKey={({ id }) => id}
        rowLink={linkPayment}
        filters={
          <>
            <PaymentFilters />
            <PaymentSummary query={query} />
          </>
        }
        isFiltered={hasFilters(search)}
        empty={
          <EmptyHint title={texts.noPayments} help={texts.noPaymentsHelp}>
            <NextStep to="/first-steps" name={texts.firstSteps} permission="read_keys" />
          </EmptyHint>
        }
        cursor={search.cursor}
        onCursor={(next) => void navigate({ search: (former) => ({ ...former, cursor: next }) })}
      />
    </Page>
  );
}
