// The contents of the steps.
import { Anchor, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { CopyButton } from '@dashboard/shared/parts/copy-button.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { CodeBlock } from '../parts/code-block.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import { keepMadeKey, useMadeKey } from './made-key.js';
import { SNIPPET_LANGUAGES, writeSnippet } from './snippets.js';

type Endpoint = MerchantSchema['WebhookEndpoint'];

const BASE = 36;

/** Makes a key with the default scopes; the other choices are in the view of the keys. */
export function KeyStep({ onSecret }: { readonly onSecret: (secret: string) => void }): ReactNode {
  const { steps } = useTexts(DEVELOPERS_TEXTS);
  const client = useQueryClient();
  const madeKey = useMadeKey();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/v1/merchants/me/api-keys', {
          body: { environment: 'TEST', name: steps.keyName },
        }),
      ),
    onSuccess: async (made) => {
      keepMadeKey(made);
      onSecret(made.secret);
      await client.invalidateQueries({ queryKey: ['first-steps'] });
    },
  });
  return (
    <Stack align="flex-start">
      <Text size="sm">{madeKey === null ? steps.keyHelp : steps.keyMade}</Text>
      {error !== null && <ApiErrorView error={error} />}
      <Group>
        {madeKey === null && (
          <Button
            loading={isPending}
            onClick={() => {
              mutate();
            }}
          >
            {steps.makeKey}
          </Button>
        )}
        <Anchor component={Link} to="/api-keys" size="sm">
          {steps.allKeys}
        </Anchor>
      </Group>
    </Stack>
  );
}

export function PaymentStep(): ReactNode {
  const { steps } = useTexts(DEVELOPERS_TEXTS);
  const madeKey = useMadeKey();
  // Another visit makes another payment, and the same program twice makes one.
  const [order] = useState(() => `order-${Date.now().toString(BASE)}`);
  const input = { api: location.origin, key: madeKey ?? steps.keyPlaceholder, order };
  return (
    <Stack>
      <Text size="sm">{madeKey === null ? steps.paymentNoKey : steps.paymentHelp}</Text>
      <Tabs defaultValue={SNIPPET_LANGUAGES[0]} keepMounted={false}>
        <Tabs.List>
          {SNIPPET_LANGUAGES.map((language) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {SNIPPET_LANGUAGES.map((language) => (
          <Tabs.Panel key={language} value={language} pt="sm">
            <Group align="flex-start" wrap="nowrap" gap="xs">
              <CodeBlock>{writeSnippet(language, input)}</CodeBlock>
              <CopyButton value={writeSnippet(language, input)} />
            </Group>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

export function PayStep({
  payment,
}: {
  readonly payment: MerchantSchema['Payment'] | null;
}): ReactNode {
  const { steps } = useTexts(DEVELOPERS_TEXTS);
  return (
    <Stack align="flex-start">
      <Text size="sm">{payment === null ? steps.payFirst : steps.payHelp}</Text>
      {payment !== null && (
        <Button
          component="a"
          href={payment.checkout_url}
          target="_blank"
          rel="noreferrer"
          variant="default"
        >
          {steps.openCheckout}
        </Button>
      )}
    </Stack>
  );
}

export function EndpointStep({ endpoint }: { readonly endpoint: Endpoint | null }): ReactNode {
  const { steps } = useTexts(DEVELOPERS_TEXTS);
  return (
    <Stack align="flex-start">
      <Text size="sm">{steps.endpointHelp}</Text>
      <Group>
        {endpoint === null ? (
          <Button renderRoot={(props) => <Link to="/webhooks" {...props} />}>
            {steps.addEndpoint}
          </Button>
        ) : (
          <Text size="sm">{endpoint.url}</Text>
        )}
        <Anchor href="/docs/webhooks" target="_blank" rel="noreferrer" size="sm">
          {steps.receivers}
        </Anchor>
      </Group>
    </Stack>
  );
}

export function WebhookStep({ endpoint }: { readonly endpoint: Endpoint | null }): ReactNode {
  const { steps } = useTexts(DEVELOPERS_TEXTS);
  if (endpoint === null) return <Text size="sm">{steps.webhookFirst}</Text>;
  return (
    <Stack align="flex-start">
      <Text size="sm">{steps.webhookHelp}</Text>
      <Button
        renderRoot={(props) => (
          <Link to="/webhooks/$webhookId" params={{ webhookId: endpoint.id }} {...props} />
        )}
      >
        {steps.openEndpoint}
      </Button>
    </Stack>
  );
}

export function LiveStep({
  merchant,
}: {
  readonly merchant: MerchantSchema['Merchant'] | null;
}): ReactNode {
  const { steps } = useTexts(DEVELOPERS_TEXTS);
  const status = merchant?.verificationStatus ?? 'UNVERIFIED';
  return (
    <Stack align="flex-start">
      <Text size="sm">{steps.liveHelp}</Text>
      <Group gap="xs">
        <Text size="sm">{steps.verification}</Text>
        <StatusBadge status={status} label={steps.verifications[status]} />
      </Group>
      <Anchor href="/docs/going-live" target="_blank" rel="noreferrer" size="sm">
        {steps.goingLive}
      </Anchor>
    </Stack>
  );
}
