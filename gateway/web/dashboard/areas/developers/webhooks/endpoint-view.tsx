// One webhook endpoint with its deliveries.
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { Facts, ObjectView, Section } from '@dashboard/shared/parts/detail-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { Tags } from '@dashboard/shared/parts/tags.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import { EndpointActions } from './endpoint-actions.js';
import { EndpointDeliveries } from './endpoint-deliveries.js';
import { EndpointHealth, STATE_REFRESH_MS } from './endpoint-state.js';

type Endpoint = MerchantSchema['WebhookEndpoint'];

export function EndpointView(): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const canChange = useCan()('change_webhooks');
  const { webhookId } = useParams({ from: '/signed-in/webhooks/$webhookId' });
  const query = useQuery({
    queryKey: ['webhook', webhookId],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/webhooks/{webhook_id}', {
          params: { path: { webhook_id: webhookId } },
        }),
      ),
    refetchInterval: STATE_REFRESH_MS,
  });
  return (
    <Page
      title={webhooks.endpoint}
      actions={canChange && query.data !== undefined && <EndpointActions endpoint={query.data} />}
    >
      <ObjectView query={query}>
        {(endpoint) => (
          <Stack gap="lg">
            <EndpointHealth endpoint={endpoint} />
            <EndpointFacts endpoint={endpoint} />
            <EndpointDeliveries webhookId={webhookId} />
          </Stack>
        )}
      </ObjectView>
    </Page>
  );
}

function EndpointFacts({ endpoint }: { readonly endpoint: Endpoint }): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const { events, overlap_ends_at: overlapEnds } = endpoint;
  return (
    <Section title={webhooks.settings}>
      <Facts
        facts={[
          [webhooks.url, <Identifier key="url" value={endpoint.url} />],
          [
            webhooks.events,
            events.includes('*') ? webhooks.allEvents : <Tags key="events" names={events} />,
          ],
          [webhooks.environment, endpoint.environment],
          [webhooks.created, <When key="created" at={endpoint.created_at} />],
          [webhooks.overlapEnds, overlapEnds && <When key="overlap" at={overlapEnds} />],
          [webhooks.id, <Identifier key="id" value={endpoint.id} />],
        ]}
      />
    </Section>
  );
}
