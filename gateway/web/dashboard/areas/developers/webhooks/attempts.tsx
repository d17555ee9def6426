// The attempts of a delivery, newest first: the headers that were sent, the answer of the endpoint, and what its error means.
import { Card, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import { Section } from '@dashboard/shared/parts/detail-view.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { useExplain } from '@dashboard/shared/text/reasons.js';
import { CodeBlock } from '../parts/code-block.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import { RequestHeaders } from './request-headers.js';

type Attempt = MerchantSchema['DeliveryAttempt'];

export function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  return (
    <Section title={webhooks.attempts}>
      {attempts.length === 0 && <Text c="dimmed">{webhooks.noAttempts}</Text>}
      <Stack>
        {attempts.map((attempt, index) => (
          <AttemptCard
            key={`${attempt.at}-${attempt.attempt}`}
            attempt={attempt}
            isNewest={index === 0}
          />
        ))}
      </Stack>
    </Section>
  );
}

interface AttemptCardProps {
  readonly attempt: Attempt;
  readonly isNewest: boolean;
}

function AttemptCard({ attempt, isNewest }: AttemptCardProps): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const explain = useExplain();
  const { reason, status_code: status, response, error, duration_ms: durationMs } = attempt;
  const { title, meaning } = explain(attempt);
  return (
    <Card withBorder padding="sm">
      <Group gap="sm">
        <StatusBadge
          status={reason ?? 'delivered'}
          label={status === null ? webhooks.noAnswer : `HTTP ${status}`}
          tone={reason === null ? 'good' : 'bad'}
        />
        <Text size="sm" fw={600}>
          {webhooks.attempt(attempt.attempt)}
        </Text>
        <Text size="sm" component="span">
          <When at={attempt.at} />
        </Text>
        <Text size="sm" c="dimmed">
          {durationMs} ms
        </Text>
      </Group>
      {reason !== null && (
        <Text size="sm" mt="xs">
          <b>{title}.</b> {meaning}
        </Text>
      )}
      {error !== null && (
        <Text size="sm" c="dimmed" mt={4}>
          {error}
        </Text>
      )}
      {response !== null && response !== '' && (
        <>
          <Text size="sm" mt="xs" mb={4} c="dimmed">
            {webhooks.response}
          </Text>
          <CodeBlock>{response}</CodeBlock>
        </>
      )}
      <RequestHeaders headers={attempt.request_headers} isOpen={isNewest} />
    </Card>
  );
}
