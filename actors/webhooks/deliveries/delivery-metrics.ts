// The metrics of deliveries. Labels are closed sets, never ids.
import { DELIVERY_FAILURES } from '#actors/core/webhooks/failures.js';
import type { Clock } from '#ops/runtime/clock.js';
import {
  createCounter,
  createGauge,
  createHistogram,
  type Registry,
} from '#ops/runtime/metrics.js';
import type { Backlog, DueDelivery } from '#store/postgres/webhooks/due-deliveries.js';
import type { AttemptRow } from '#store/postgres/webhooks/record-attempts.js';
import type { QueueCounts } from '#store/redis/webhooks/due-list.js';

export type DeliveryMetrics = ReturnType<typeof createDeliveryMetrics>;

export function createDeliveryMetrics(registry: Registry) {
  const counter = (name: string, help: string) => createCounter(registry, name, help);
  const gauge = (name: string, help: string) => createGauge(registry, name, help);
  const histogram = (name: string, help: string) => createHistogram(registry, name, help);
  return {
    attempts: createCounter(registry, 'webhook_attempts_total', 'Attempts by their outcome', {
      outcome: ['delivered', ...DELIVERY_FAILURES],
    }),
    attemptSeconds: histogram('webhook_attempt_seconds', 'Duration of an attempt'),
    eventAgeSeconds: histogram(
      'webhook_event_to_attempt_seconds',
      'From the event to the begin of its first attempt; attempts that their endpoint could not take earlier are left out',
    ),
    dueLagSeconds: histogram(
      'webhook_due_lag_seconds',
      'From the due time of a retry to its begin; retries that their endpoint could not take earlier are left out',
    ),
    refusedTargets: counter(
      'webhook_target_refused_total',
      'Attempts whose target address was refused',
    ),
    unrecorded: counter(
      'webhook_attempts_unrecorded_total',
      'Attempts that Postgres refused to store; their deliveries were ended without them',
    ),
    deadLetters: counter(
      'webhook_dead_letters_total',
      'Deliveries that became dead letters, also those of an endpoint that was switched off',
    ),
    repairs: counter(
      'webhook_stream_repairs_total',
      'Delivery partitions that were created or repaired, the first start included',
    ),
    refilled: counter(
      'webhook_refilled_total',
      'Overdue deliveries that were missing in Redis and were enqueued again',
    ),
    pending: gauge('webhook_pending', 'Deliveries that are neither delivered nor dead'),
    dead: gauge('webhook_dlq', 'Dead letters, counted up to 100,000'),
    unpublished: gauge('outbox_unpublished', 'Events that are not fanned out yet'),
    quarantined: gauge(
      'webhook_events_set_aside',
      'Quarantined events: their envelope cannot be read, and no endpoint receives them',
    ),
    queued: createGauge(
      registry,
      'webhook_queued',
      'Entries of the queues in Redis; lanes: endpoints with deferred deliveries',
      { labels: { queue: ['ready', 'due', 'lanes'] } },
    ),
    failingEndpoints: gauge(
      'webhook_endpoints_failing',
      'Active endpoints at which every attempt has failed for an hour or longer',
    ),
    disabledEndpoints: counter(
      'webhook_endpoints_disabled_total',
      'Endpoints that were disabled after failing for five days',
    ),
  };
}

/** The gauge is read at each scrape. */
export function createBreakerGauge(registry: Registry, countOpenBreakers: () => number): void {
  createGauge(registry, 'webhook_breakers_open', 'Endpoints that receive probes only', {
    read: (gauge) => {
      gauge.set(countOpenBreakers());
    },
  });
}

/** Returns the function that notes the end of a round. Rounds that fail or hang note nothing, so the age grows. */
export function createReconcilerAge(
  registry: Registry,
  clock: Pick<Clock, 'monotonicMs'>,
): () => void {
  let finishedAtMs = clock.monotonicMs();
  const help = 'Time since the reconciler of deliveries finished a round';
  createGauge(registry, 'webhook_reconciler_age_seconds', help, {
    read: (gauge) => {
      gauge.set((clock.monotonicMs() - finishedAtMs) / 1_000);
    },
  });
  return () => {
    finishedAtMs = clock.monotonicMs();
  };
}

/** An attempt begins `waitedMs` after its delivery was loaded. */
export function observeBegin(
  { eventAgeSeconds, dueLagSeconds }: DeliveryMetrics,
  { attempts, ageMs, dueInMs }: DueDelivery,
  waitedMs: number,
  wasDeferred: boolean,
): void {
  // How long a slow or dead endpoint keeps its own deliveries waiting says nothing about this service.
  if (wasDeferred) return;
  if (attempts === 0) eventAgeSeconds.observe(Math.max(0, ageMs + waitedMs) / 1_000);
  else dueLagSeconds.observe(Math.max(0, waitedMs - dueInMs) / 1_000);
}

export function countAttempt(
  { attempts, attemptSeconds, refusedTargets }: DeliveryMetrics,
  { failure, durationMs }: AttemptRow,
): void {
  attempts.inc({ outcome: failure ?? 'delivered' });
  attemptSeconds.observe(durationMs / 1_000);
  if (failure === 'target_refused') refusedTargets.inc();
}

export function setQueued({ queued }: DeliveryMetrics, { ready, due, lanes }: QueueCounts): void {
  queued.set({ queue: 'ready' }, ready);
  queued.set({ queue: 'due' }, due);
  queued.set({ queue: 'lanes' }, lanes);
}

export function setBacklog(
  metrics: DeliveryMetrics,
  { pending, dead, unpublished, quarantined, failingEndpoints }: Backlog,
): void {
  metrics.pending.set(pending);
  metrics.dead.set(dead);
  metrics.unpublished.set(unpublished);
  metrics.quarantined.set(quarantined);
  metrics.failingEndpoints.set(failingEndpoints);
}
