// The payouts of the merchant.
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, downloadCsv, type MerchantQuery } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import {
  ChoiceFilter,
  DayFilters,
  Filters,
  hasFilters,
  TextFilter,
} from '@dashboard/shared/lists/filters.js';
import { EmptyHint, ExportButton, ListView } from '@dashboard/shared/lists/list-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { readDays } from '@dashboard/shared/text/days.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { NewPayoutButton } from '../balance/new-payout-button.js';
import { MONEY_TEXTS } from '../parts/texts.js';
import { linkPayout, listPayoutColumns } from './payout-columns.js';

const PATH = '/v1/merchants/me/payouts';
type Query = MerchantQuery<typeof PATH>;

function PayoutFilters(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const { status } = useTexts(SHARED_TEXTS);
  return (
    <Filters>
      <TextFilter name="reference_id" label={texts.reference} type="search" />
      <ChoiceFilter
        name="status"
        label={texts.status}
        any={texts.anyStatus}
        choices={[
          { value: 'PENDING', label: status.pending },
          { value: 'PROCESSING', label: status.processing },
          { value: 'COMPLETED', label: status.completed },
          { value: 'FAILED', label: status.failed },
          { value: 'MANUAL_REQUIRED', label: texts.payoutStatus.MANUAL_REQUIRED },
          { value: 'REVERSED', label: texts.payoutStatus.REVERSED },
        ]}
      />
      <DayFilters
        from={{ name: 'created_from', label: texts.from }}
        to={{ name: 'created_to', label: texts.to }}
      />
    </Filters>
  );
}

export function PayoutsView(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const environment = useEnvironment();
  const search = useSearch({ from: '/signed-in/payouts' });
  const navigate = useNavigate({ from: '/payouts' });
  const query = { ...search, ...readDays(search), environment, cursor: undefined };
  return (
    <Page
      title={texts.payouts}
      actions={
        <>
          <ExportButton onExport={() => downloadCsv(PATH, query, 'payouts.csv')} />
          <NewPayoutButton />
        </>
      }
    >
      <ListView
        label={texts.payouts}
        queryKey={['payouts', query]}
        load={(from) =>
          unwrap(api.GET(PATH, { params: { query: { ...query, cursor: from } as Query } }))
        }
        columns={listPayoutColumns(texts)}
        rowKey={({ id }) => id}
        rowLink={linkPayout}
        filters={<PayoutFilters />}
        isFiltered={hasFilters(search)}
        empty={
          <EmptyHint title={texts.noPayouts} help={texts.noPayoutsHelp}>
            <NewPayoutButton />
          </EmptyHint>
        }
        cursor={search.cursor}
        onCursor={(next) => void navigate({ search: (former) => ({ ...former, cursor: next }) })}
      />
    </Page>
  );
}
