// The deliveries to one endpoint, newest first.
import { Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type MerchantQuery } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { Filters } from '@dashboard/shared/lists/filters.js';
import { EmptyHint, ListView } from '@dashboard/shared/lists/list-view.js';
import { linkDelivery } from '@dashboard/shared/lists/row-link.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { useExplain } from '@dashboard/shared/text/reasons.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import { listDeliveryColumns, StatusFilter } from './delivery-columns.js';

const PATH = '/v1/merchants/me/webhooks/{webhook_id}/deliveries';

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
        rowLink={linkDelivery}
        filters={
          <Filters>
            <StatusFilter />
          </Filters>
        }
        isFiltered={status !== undefined}
        empty={<EmptyHint title={webhooks.noDeliveries} help={webhooks.noDeliveriesHelp} />}
        cursor={cursor}
        onCursor={(next) => void navigate({ search: (former) => ({ ...former, cursor: next }) })}
      />
    </>
  );
}
