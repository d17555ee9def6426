// Two followers of the outbox (payment_events), each behind its own cursors: the fan-out creates deliveries for webhook
// endpoints, the payment follower updates payment links and invoices. Each process reads its share of the partitions. Commits
// name the partitions that have new events, and wake their followers. They also poll, because a wake-up can be lost. Deliveries
// that do not reach the ready streams are enqueued by the reconciler.
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import { createIdleRest, type Loop, startLoop } from '#ops/runtime/loop.js';
import { createCounter, createGauge, type Registry } from '#ops/runtime/metrics.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  countUnfollowed,
  followPayments,
} from '#store/postgres/links-and-invoices/follow-payments.js';
import type { FannedOut } from '#store/postgres/webhooks/fan-out.js';
import type { RedisClient } from '#store/redis/client.js';
import type { WokenPartitions } from '#store/redis/wake-up.js';
import { enqueueDeliveries } from '#store/redis/webhooks/ready-entries.js';
import type { NoteProgress } from './follower-lag.js';
import type { WorkShare } from './work-share.js';

/** Polls rest longer while they find nothing; a lost wake-up costs the longest rest. */
const POLL_EVERY_MS = 250;
const IDLE_POLL_MS = 1_000;
const COUNT_EVERY_MS = 5_000;

/** A follower of events: its loop, and how a commit wakes it. */
export interface EventFollower extends Pick<Loop, 'stop'> {
  /** Reads these partitions at once, if they belong to this process. */
  readonly wake: (partitions: WokenPartitions) => void;
}

interface FollowerDeps {
  readonly share: WorkShare;
  readonly clock: Clock;
  readonly log: Log;
}

export interface FanOutDeps extends FollowerDeps {
  /** Fans out events of some partitions, and moves their cursors. */
  readonly fanOut: (partitions: readonly number[]) => Promise<FannedOut>;
  readonly redis: RedisClient;
  readonly registry: Registry;
}

export function startFanOut({ fanOut, redis, registry, ...deps }: FanOutDeps): EventFollower {
  const fannedOut = createCounter(registry, 'webhook_events_total', 'Events fanned out');
  const read = async (partitions: readonly number[]): Promise<number> => {
    const { events, deliveries, quarantined } = await fanOut(partitions);
    fannedOut.inc(events);
    if (quarantined.length > 0) {
      deps.log.error({ events: quarantined }, 'events quarantined: their envelopes cannot be read');
    }
    await enqueueDeliveries(redis, deliveries).catch(() => null);
    return events;
  };
  return startFollower('fan-out', deps, read);
}

/** Its pool must be its own: its statement may wait for the lock of a payment link. */
export function startPaymentFollower(sql: Postgres, deps: FollowerDeps): EventFollower {
  const read = (partitions: readonly number[]) => followPayments(sql, partitions);
  return startFollower('following payments', deps, read);
}

/** `read` returns how many events it has passed. */
function startFollower(
  name: string,
  { share, clock, log }: FollowerDeps,
  read: (partitions: readonly number[]) => Promise<number>,
): EventFollower {
  let woken = new Set<number>();
  let polledAtMs = -Infinity;
  const rest = createIdleRest(POLL_EVERY_MS, IDLE_POLL_MS);
  const work = async (): Promise<number> => {
    const owned = share.listPaymentPartitions();
    const isPoll = woken.size === 0 || clock.monotonicMs() - polledAtMs >= IDLE_POLL_MS;
    const partitions = isPoll ? owned : owned.filter((partition) => woken.has(partition));
    if (isPoll) polledAtMs = clock.monotonicMs();
    woken = new Set();
    if (partitions.length === 0) return POLL_EVERY_MS;
    const hasFound = (await read(partitions)) > 0;
    const restMs = rest(hasFound);
    return hasFound ? 0 : restMs;
  };
  const loop = startLoop({ name, everyMs: POLL_EVERY_MS, work, clock, log });
  return {
    stop: loop.stop,
    wake: (partitions) => {
      const owned = share.listPaymentPartitions();
      const mine = partitions?.filter((partition) => owned.includes(partition)) ?? owned;
      for (const partition of mine) woken.add(partition);
      if (mine.length > 0) loop.wake();
    },
  };
}

/** `sql` must not be the pool of the follower, which waits when the follower does. */
export function startPaymentFollowerMetrics(
  sql: Postgres,
  registry: Registry,
  noteProgress: NoteProgress,
  log: Log,
): Loop {
  const events = createGauge(
    registry,
    'payment_followers_unhandled',
    'Payment events that payment links and invoices do not show yet',
  );
  const work = async (): Promise<void> => {
    const backlog = await countUnfollowed(sql);
    events.set(backlog.events);
    noteProgress('links_and_invoices', backlog.oldestS);
  };
  return startLoop({
    name: 'counting events before the follower',
    everyMs: COUNT_EVERY_MS,
    work,
    log,
  });
}
