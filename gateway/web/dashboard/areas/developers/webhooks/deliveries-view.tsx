// The deliveries to all endpoints, newest first: also those of one payment.
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type MerchantQuery } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { Filters, hasFilters } from '@dashboard/shared/lists/filters.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { EmptyHint, ListView, NextStep } from '@dashboard/shared/lists/list-view.js';
import { EventTo } from '@dashboard/shared/parts/address.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { linkDelivery } from '@dashboard/shared/lists/row-link.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { type Explain, useExplain } from '@dashboard/shared/text/reasons.js';
import { DEVELOPERS_TEXTS, type DevelopersTexts } from '../parts/texts.js';
import {
  type Delivery,
  listDeliveryColumns,
  listSubjectColumns,
  StatusFilter,
} from './delivery-columns.js';
import { EventFilters, SubjectFilters } from './delivery-filters.js';

const PATH = '/v1/merchants/me/webhooks/deliveries';

function listColumns(texts: DevelopersTexts, explain: Explain): readonly Column<Delivery>[] {
  const event: Column<Delivery> = {
    name: texts.webhooks.type,
    render: ({ type, url }) => <EventTo type={type} url={url} />,
  };
  return [event, ...listSubjectColumns(texts), ...listDeliveryColumns(texts, explain).slice(1)];
}

export function DeliveriesView(): ReactNode {
  const texts = useTexts(DEVELOPERS_TEXTS);
  const { webhooks } = texts;
  const explain = useExplain();
  const environment = useEnvironment();
  const { cursor, ...filters } = useSearch({ from: '/signed-in/webhooks/deliveries' });
  const navigate = useNavigate({ from: '/webhooks/deliveries' });
  const filter = { ...filters, environment };
  const load = (from: string | undefined) => {
    const query = { ...filter, cursor: from } as MerchantQuery<typeof PATH>;
    return unwrap(api.GET(PATH, { params: { query } }));
  };
  return (
    <Page title={webhooks.deliveries}>
      <ListView
        label={webhooks.deliveries}
        queryKey={['merchant-deliveries', filter]}
        load={load}
        columns={listColumns(texts, explain)}
        rowKey={({ id }) => id}
        rowLink={linkDelivery}
        filters={
          <Filters>
            <SubjectFilters />
            <StatusFilter />
            <EventFilters />
          </Filters>
        }
        isFiltered={hasFilters(filters)}
        empty={
          <EmptyHint title={webhooks.noDeliveries} help={webhooks.noDeliveriesHelp}>
            <NextStep to="/webhooks" name={webhooks.title} permission="read_webhooks" />
          </EmptyHint>
        }
        cursor={cursor}
        onCursor={(next) => void navigate({ search: (former) => ({ ...former, cursor: next }) })}
      />
    </Page>
  );
}
