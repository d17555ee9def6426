// The refunds of the merchant.
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, downloadCsv, type MerchantQuery } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ChoiceFilter, Filters } from '@dashboard/shared/lists/filters.js';
import { EmptyHint, ExportButton, ListView, NextStep } from '@dashboard/shared/lists/list-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { MONEY_TEXTS } from '../parts/texts.js';
import { linkRefund, listRefundColumns } from './refund-columns.js';

const PATH = '/v1/merchants/me/refunds';
type Query = MerchantQuery<typeof PATH>;

function RefundFilters(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const { status } = useTexts(SHARED_TEXTS);
  return (
    <Filters>
      <ChoiceFilter
        name="status"
        label={texts.status}
        any={texts.anyStatus}
        choices={[
          { value: 'PENDING', label: status.pending },
          { value: 'MANUAL_REQUIRED', label: texts.refundStatus.MANUAL_REQUIRED },
          { value: 'SUCCEEDED', label: status.succeeded },
          { value: 'FAILED', label: status.failed },
        ]}
      />
    </Filters>
  );
}

export function RefundsView(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const environment = useEnvironment();
  const { cursor, status } = useSearch({ from: '/signed-in/refunds' });
  const navigate = useNavigate({ from: '/refunds' });
  const query = { status, environment };
  return (
    <Page
      title={texts.refunds}
      actions={<ExportButton onExport={() => downloadCsv(PATH, query, 'refunds.csv')} />}
    >
      <ListView
        label={texts.refunds}
        queryKey={['refunds', query]}
        load={(from) =>
          unwrap(api.GET(PATH, { params: { query: { ...query, cursor: from } as Query } }))
        }
        columns={listRefundColumns(texts)}
        rowKey={({ id }) => id}
        rowLink={linkRefund}
        filters={<RefundFilters />}
        isFiltered={status !== undefined}
        empty={
          <EmptyHint title={texts.noRefunds} help={texts.noRefundsHelp}>
            <NextStep to="/payments" name={texts.payments} permission="read_payments" />
          </EmptyHint>
        }
        cursor={cursor}
        onCursor={(next) => void navigate({ search: (former) => ({ ...former, cursor: next }) })}
      />
    </Page>
  );
}
