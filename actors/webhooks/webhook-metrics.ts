// The metrics of the webhooks process. Labels are closed sets, never ids.
import {
  createCounter,
  createGauge,
  createHistogram,
  type Registry,
} from '#ops/runtime/metrics.js';
import type { Queued } from '#store/redis/webhooks/due-list.js';
import type { AttemptRow } from '#store/postgres/webhooks/record-attempts.js';
import type { Backlog, DueDelivery } from '#store/postgres/webhooks/due-deliveries.js';

export interface WebhookMetrics {
  /** An attempt begins, `waitedMs` after its delivery was loaded. What was parked was late for its endpoint's sake. */
  onBegin: (delivery: DueDelivery, waitedMs: number, wasParked: boolean) => void;
  onAttempt: (attempt: AttemptRow) => void;
  onEvents: (count: number) => void;
  onRepaired: (partitions: number) => void;
  onRefilled: (deliveries: number) => void;
  setBacklog: (backlog: Backlog, queued: Queued) => void;
  setFlagged: (endpoints: number) => void;
  onDisabled: (endpoints: number) => void;
}

/** What is read at each scrape. */
export interface WebhookGauges {
  countOpenBreakers: () => number;
}

export function createWebhookMetrics(registry: Registry, gauges: WebhookGauges): WebhookMetrics {
  createGauge(registry, 'webhook_breakers_open', 'Endpoints that get nothing but probes', {
    read: (gauge) => {
      gauge.set(gauges.countOpenBreakers());
    },
  });
  const attempts = createCounter(registry, 'webhook_attempts_total', 'Attempts by their outcome', [
    'outcome',
  ]);
  const seconds = createHistogram(registry, 'webhook_attempt_seconds', 'Duration of an attempt');
  const age = createHistogram(
    registry,
    'webhook_event_to_attempt_seconds',
    'From the event to the beginning of its first attempt',
  );
  const lag = createHistogram(
    registry,
    'webhook_due_lag_seconds',
    'From the time that a retry was due to its beginning, but for what its endpoint could not take sooner',
  );
  const refused = createCounter(
    registry,
    'webhook_target_refused_total',
    'Attempts whose target was refused',
  );
  const events = createCounter(registry, 'webhook_events_total', 'Events fanned out');
  const mended = createCounter(
    registry,
    'webhook_stream_repairs_total',
    'Delivery partitions made (again), also at the first start',
  );
  const refilled = createCounter(
    registry,
    'webhook_refilled_total',
    'Overdue deliveries that nobody held',
  );
  return {
    onBegin: ({ attempts: made, ageMs, dueInMs }, waitedMs, wasParked) => {
      if (made === 0) age.observe(Math.max(0, ageMs + waitedMs) / 1_000);
      else if (!wasParked) lag.observe(Math.max(0, waitedMs - dueInMs) / 1_000);
    },
    onAttempt: ({ failure, durationMs }) => {
      attempts.inc({ outcome: failure ?? 'delivered' });
      seconds.observe(durationMs / 1_000);
      if (failure === 'target_refused') refused.inc();
    },
    onEvents: (count) => {
      events.inc(count);
    },
    onRepaired: (partitions) => {
      mended.inc(partitions);
    },
    onRefilled: (deliveries) => {
      refilled.inc(deliveries);
    },
    setBacklog: createBacklogGauges(registry),
    ...createEndpointMetrics(registry),
  };
}

function createBacklogGauges(registry: Registry): WebhookMetrics['setBacklog'] {
  const waiting = createGauge(registry, 'webhook_pending', 'Deliveries that are not settled');
  const dead = createGauge(registry, 'webhook_dlq', 'Dead letters');
  const outbox = createGauge(registry, 'outbox_unpublished', 'Events that are not fanned out yet');
  const aside = createGauge(
    registry,
    'webhook_events_set_aside',
    'Events whose envelope cannot be read, and that nobody is told of',
  );
  const queues = createGauge(registry, 'webhook_queued', 'Entries of the queues in Redis', {
    labelNames: ['queue'],
  });
  return ({ pending, dead: died, unpublished, setAside }, { ready, due }) => {
    queues.set({ queue: 'ready' }, ready);
    queues.set({ queue: 'due' }, due);
    waiting.set(pending);
    dead.set(died);
    outbox.set(unpublished);
    aside.set(setAside);
  };
}

function createEndpointMetrics(
  registry: Registry,
): Pick<WebhookMetrics, 'setFlagged' | 'onDisabled'> {
  const flagged = createGauge(
    registry,
    'webhook_endpoints_failing',
    'Endpoints that have only failed for an hour or longer',
  );
  const disabled = createCounter(
    registry,
    'webhook_endpoints_disabled_total',
    'Endpoints that were disabled after failing for five days',
  );
  return {
    setFlagged: (endpoints) => {
      flagged.set(endpoints);
    },
    onDisabled: (endpoints) => {
      disabled.inc(endpoints);
    },
  };
}
