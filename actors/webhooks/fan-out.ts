// Two readers of the outbox (payment_events), each behind its own cursors: the fan-out creates deliveries for webhook
// endpoints, the projection updates payment links and invoices. Commits wake both. They also poll, because a wake-up can
// be lost. Deliveries that do not reach the ready streams are enqueued by the reconciler.
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import { createCounter, createGauge, type Registry } from '#ops/runtime/metrics.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  countUnprojected,
  projectPayments,
} from '#store/postgres/links-and-invoices/project-payments.js';
import { fanOut } from '#store/postgres/webhooks/fan-out.js';
import type { RedisClient } from '#store/redis/client.js';
import { enqueueDeliveries } from '#store/redis/webhooks/ready-entries.js';

const POLL_EVERY_MS = 250;
const COUNT_EVERY_MS = 5_000;

export function startFanOut(sql: Postgres, redis: RedisClient, registry: Registry, log: Log): Loop {
  const fannedOut = createCounter(registry, 'webhook_events_total', 'Events fanned out');
  const work = async (): Promise<number> => {
    const { events, deliveries, quarantined } = await fanOut(sql);
    fannedOut.inc(events);
    if (quarantined.length > 0) {
      log.error({ events: quarantined }, 'events quarantined: their envelopes cannot be read');
    }
    await enqueueDeliveries(redis, deliveries).catch(() => null);
    return events === 0 ? POLL_EVERY_MS : 0;
  };
  return startLoop({ name: 'fan-out', everyMs: POLL_EVERY_MS, work, log });
}

/** Its pool must be its own: its statement may wait for the lock of a payment link. */
export function startProjection(sql: Postgres, log: Log): Loop {
  const work = async (): Promise<number> =>
    (await projectPayments(sql)) === 0 ? POLL_EVERY_MS : 0;
  return startLoop({ name: 'projecting payments', everyMs: POLL_EVERY_MS, work, log });
}

/** `sql` must not be the projection's pool, which waits when the projection does. */
export function startProjectionMetrics(sql: Postgres, registry: Registry, log: Log): Loop {
  const events = createGauge(
    registry,
    'payment_followers_unhandled',
    'Payment events that are not projected to payment links and invoices yet',
  );
  const age = createGauge(
    registry,
    'payment_followers_lag_seconds',
    'Age of the oldest of these events; 0: none',
  );
  const work = async (): Promise<void> => {
    const backlog = await countUnprojected(sql);
    events.set(backlog.events);
    age.set(backlog.oldestS);
  };
  return startLoop({ name: 'counting unprojected events', everyMs: COUNT_EVERY_MS, work, log });
}
