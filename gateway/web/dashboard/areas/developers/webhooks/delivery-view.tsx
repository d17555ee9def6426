// One delivery: what was sent, what the endpoint answered, and the meaning of its error in words.
import { Alert, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { CopyButton } from '@dashboard/shared/parts/copy-button.js';
import { ObjectView, Section } from '@dashboard/shared/parts/detail-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { useExplain } from '@dashboard/shared/text/reasons.js';
import { DropDialog, ReplayDialog } from './letter-dialogs.js';
import { CodeBlock } from '../parts/code-block.js';
import { formatJson } from '../parts/json.js';
import { DEVELOPERS_TEXTS, type DevelopersTexts } from '../parts/texts.js';
import { Attempts } from './attempts.js';
import { DeliveryFacts } from './delivery-facts.js';
import { NextAttempt } from './next-attempt.js';

type WebhookTexts = DevelopersTexts['webhooks'];
type Details = MerchantSchema['WebhookDeliveryDetails'];

const REFRESH_MS = 10_000;

export function DeliveryView(): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const canChange = useCan()('change_webhooks');
  const { deliveryId } = useParams({ from: '/signed-in/webhooks/deliveries/$deliveryId' });
  const query = useQuery({
    queryKey: ['delivery', deliveryId],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/webhooks/deliveries/{delivery_id}', {
          params: { path: { delivery_id: deliveryId } },
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? REFRESH_MS : false),
  });
  return (
    <Page
      title={webhooks.delivery}
      actions={canChange && query.data?.status === 'dead' && <DeadActions details={query.data} />}
    >
      <ObjectView query={query}>
        {(details) => (
          <Stack gap="lg">
            <Outcome details={details} />
            <DeliveryFacts details={details} />
            <Section title={webhooks.request} actions={<CopyButton value={details.body} />}>
              <CodeBlock>{formatJson(details.body)}</CodeBlock>
            </Section>
            <Attempts attempts={details.attempts_made} />
          </Stack>
        )}
      </ObjectView>
    </Page>
  );
}

function Outcome({ details }: { readonly details: Details }): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const explain = useExplain();
  if (details.status === 'delivered' || details.reason === null) return null;
  const { title, meaning, remedy } = explain(details);
  return (
    <Alert color={details.status === 'dead' ? 'red' : 'yellow'} title={title}>
      <Text size="sm">{meaning}</Text>
      <Text size="sm" mt={4}>
        {remedy}
      </Text>
      <Text size="sm" mt={4}>
        {describeRest(details, webhooks)}{' '}
        {details.next_attempt_at !== null && <NextAttempt at={details.next_attempt_at} />}
      </Text>
    </Alert>
  );
}

function describeRest({ status, next_attempt_at: at }: Details, webhooks: WebhookTexts): string {
  if (status === 'dead') return webhooks.isDead;
  return at === null ? webhooks.isHeld : webhooks.isRetried;
}

function DeadActions({ details }: { readonly details: Details }): ReactNode {
  const { deadLetters } = useTexts(DEVELOPERS_TEXTS);
  const navigate = useNavigate();
  const [kind, setKind] = useState<'replay' | 'drop' | null>(null);
  const close = (): void => {
    setKind(null);
  };
  return (
    <>
      <Button
        onClick={() => {
          setKind('replay');
        }}
      >
        {deadLetters.replay}
      </Button>
      <Button
        variant="default"
        onClick={() => {
          setKind('drop');
        }}
      >
        {deadLetters.drop}
      </Button>
      {kind === 'replay' && <ReplayDialog delivery={details} onClose={close} />}
      {kind === 'drop' && (
        <DropDialog
          delivery={details}
          onClose={close}
          onDropped={() => navigate({ to: '/webhooks/dead-letters' })}
        />
      )}
    </>
  );
}
