// The deliveries to one endpoint, newest first.
import { Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type MerchantQuery } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ChoiceFilter, Filters } from '@dashboard/shared/parts/filters.js';
import { EmptyHint, ListView } from '@dashboard/shared/parts/list-view.js';
import { RowLink } from '@dashboard/shared/parts/row-link.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { DEVELOPERS_TEXTS } from '../texts.js';
import { listDeliveryColumns } from './delivery-columns.js';
import { useExplain } from './reasons.js';

const PATH = '/v1/merchants/me/webhooks/{webhook_id}/deliveries';
const STATUSES = ['pending', 'delivered', 'dead'] as const;

export function EndpointDeliveries({ webhookId }: { readonly webhookId: string }): ReactNode {
  const texts = useTexts(DEVELOPERS_TEXTS);
  const { webhooks } = texts;
  const explain = useExplain();
  const { cursor, status } = useSearch({ from: '/signed-in/webhooks/$webhookId' });
  const navigate = useNavigate({ from: '/webhooks/$webhookId' });
  const load = (from: string | undefined) => {
    const query = { status, cursor: from } as MerchantQuery<typeof PATH>;
    return unwrap(api.GET(PATH, { params: { path: { webhook_id: webhookId }, query } }));
  };
  return (
    <>
      <Title order={2} size="h4">
        {webhooks.deliveries}
      </Title>
      <ListView
        label={webhooks.deliveries}
        queryKey={['deliveries', webhookId, status]}
        load={load}
        columns={listDeliveryColumns(texts, explain)}
        rowKey={({ id }) => id}
        rowLink={({ id }, content) => (
          <RowLink to="/webhooks/deliveries/$deliveryId" params={{ deliveryId: id }}>
            {content}
          </RowLink>
        )}
        filters={
          <Filters>
            <ChoiceFilter
              name="status"
              label={webhooks.status}
              any={webhooks.anyStatus}
              choices={STATUSES.map((value) => ({ value, label: webhooks.statuses[value] }))}
            />
          </Filters>
        }
        isFiltered={status !== undefined}
        isLive={(rows) => rows.some((delivery) => delivery.status === 'pending')}
        empty={<EmptyHint title={webhooks.noDeliveries} help={webhooks.noDeliveriesHelp} />}
        cursor={cursor}
        onCursor={(next) => void navigate({ search: (former) => ({ ...former, cursor: next }) })}
      />
    </>
  );
}
