// A live log of what arrived: the requests of the merchant's server, and the webhooks to it.
import { Anchor, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { Section } from '@dashboard/shared/parts/detail-view.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { HttpStatus } from '../api-logs/logs-view.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';

const REFRESH_MS = 2_000;
const ROWS = 6;

export function Arrivals({ webhookId }: { readonly webhookId: string | null }): ReactNode {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Requests />
      <Webhooks webhookId={webhookId} />
    </SimpleGrid>
  );
}

function Requests(): ReactNode {
  const { steps } = useTexts(DEVELOPERS_TEXTS);
  const query = useQuery({
    queryKey: ['first-steps', 'requests'],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/api-logs', {
          params: { query: { environment: 'TEST', limit: ROWS } },
        }),
      ),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Log title={steps.requests} none={steps.noRequests} query={query}>
      {({ id, method, path, status, at }) => (
        <Row key={id} at={at} state={<HttpStatus status={status} />}>
          <Anchor component={Link} to={`/api-logs/${id}`}>
            {method} {path}
          </Anchor>
        </Row>
      )}
    </Log>
  );
}

function Webhooks({ webhookId }: { readonly webhookId: string | null }): ReactNode {
  const { steps, webhooks } = useTexts(DEVELOPERS_TEXTS);
  const query = useQuery({
    queryKey: ['first-steps', 'webhooks', webhookId],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/webhooks/{webhook_id}/deliveries', {
          params: { path: { webhook_id: webhookId ?? '' }, query: { limit: ROWS } },
        }),
      ),
    enabled: webhookId !== null,
    refetchInterval: REFRESH_MS,
  });
  return (
    <Log title={steps.webhooks} none={steps.noWebhooks} query={query}>
      {({ id, type, status, created_at: at }) => (
        <Row
          key={id}
          at={at}
          state={<StatusBadge status={status} label={webhooks.statuses[status]} />}
        >
          <Anchor component={Link} to={`/webhooks/deliveries/${id}`}>
            {type}
          </Anchor>
        </Row>
      )}
    </Log>
  );
}

interface LogProps<Entry> {
  readonly title: string;
  /** Shown until something arrives. */
  readonly none: string;
  readonly query: UseQueryResult<{ readonly data: readonly Entry[] }>;
  readonly children: (entry: Entry) => ReactNode;
}

function Log<Entry>({ title, none, query, children }: LogProps<Entry>): ReactNode {
  const { data, error, isLoading, refetch } = query;
  const entries = data?.data ?? [];
  return (
    <Section title={title}>
      {error !== null && <ApiErrorView error={error} onRetry={() => void refetch()} />}
      {isLoading && <Skeleton height={18} aria-busy />}
      {error === null && !isLoading && entries.length === 0 && <Text c="dimmed">{none}</Text>}
      <Stack gap="xs" role="log" aria-label={title} aria-relevant="additions">
        {entries.map(children)}
      </Stack>
    </Section>
  );
}

interface RowProps {
  readonly at: string;
  readonly state: ReactNode;
  readonly children: ReactNode;
}

function Row({ at, state, children }: RowProps): ReactNode {
  return (
    <Group gap="sm" justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap" miw={0}>
        {state}
        <Text size="sm" component="span" truncate>
          {children}
        </Text>
      </Group>
      <Text size="sm" c="dimmed" component="span">
        <When at={at} isRelative />
      </Text>
    </Group>
  );
}
