// The facts of a delivery, with links to its endpoint and to the payment or payout that it is about.
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import { Facts, Section } from '@dashboard/shared/parts/detail-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { isTestEvent } from '../parts/json.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';

type Details = MerchantSchema['WebhookDeliveryDetails'];

export function DeliveryFacts({ details }: { readonly details: Details }): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const { status, payment_id: paymentId, payout_id: payoutId, settled_at: settledAt } = details;
  const isTest = isTestEvent(details.body);
  return (
    <Section title={webhooks.facts}>
      <Facts
        facts={[
          [webhooks.type, isTest ? webhooks.testEvent(details.type) : details.type],
          [
            webhooks.status,
            <StatusBadge key="status" status={status} label={webhooks.statuses[status]} />,
          ],
          [
            webhooks.endpoint,
            <Anchor key="endpoint" component={Link} to={`/webhooks/${details.endpoint_id}`}>
              {details.url}
            </Anchor>,
          ],
          [webhooks.payment, paymentId && <Subject key="payment" {...{ isTest }} id={paymentId} />],
          [webhooks.payout, payoutId && <Subject key="payout" {...{ isTest }} id={payoutId} />],
          [webhooks.attempts, details.attempts],
          [webhooks.created, <When key="created" at={details.created_at} />],
          [webhooks.settled, settledAt && <When key="settled" at={settledAt} />],
          [webhooks.event, <Identifier key="event" value={details.event_id} />],
          [webhooks.id, <Identifier key="id" value={details.id} />],
        ]}
      />
    </Section>
  );
}

interface SubjectProps {
  readonly id: string;
  /** A test event is about something that does not exist. */
  readonly isTest: boolean;
}

function Subject({ id, isTest }: SubjectProps): ReactNode {
  if (isTest) return <Identifier value={id} />;
  const path = id.startsWith('pay_') ? `/payments/${id}` : `/payouts/${id}`;
  return (
    <Anchor component={Link} to={path}>
      {id}
    </Anchor>
  );
}
