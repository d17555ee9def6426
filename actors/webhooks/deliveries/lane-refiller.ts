// Refills the lists of lanes from Postgres. A list in Redis holds the oldest deliveries of a lane that has fallen behind,
// up to a bound; the lane overflows while there are more. When the list has become short, the oldest overdue deliveries
// of the endpoint are offered again. Redis takes those that it lacks, as many as the list has room for. No position is
// kept between two refills, so any process can make the next one, and deliveries that have settled are never read.
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import { FIRST_PLACE } from '#store/postgres/webhooks/due-deliveries.js';
import type { RedisClient } from '#store/redis/client.js';
import { readOverflow, settleOverflow } from '#store/redis/webhooks/due-list.js';
import { MAX_DEFERRED } from '#store/redis/webhooks/queue-bounds.js';
import { enqueueDeliveries } from '#store/redis/webhooks/ready-entries.js';
import type { DeliveryStore } from './ports.js';

/** Lanes that wait for a refill. Others ask again when they are due. */
const MAX_WAITING = 1_000;
/** Lanes that are refilled at once: as many as the pool has connections. */
const LANES_AT_ONCE = 2;
/** The first page fills an empty list, even if a quarter of it is in Redis already. */
const PAGE = MAX_DEFERRED + MAX_DEFERRED / 4;
/** Pages of deliveries that are all in Redis; after so many the refill is given up until the lane is due again. */
const MAX_PAGES = 8;
const IDLE_MS = 1_000;

export interface LaneRefillerOptions {
  readonly store: Pick<DeliveryStore, 'findOverdueOf'>;
  readonly redis: RedisClient;
  /** The list of this endpoint's lane may have deliveries again. */
  readonly onRefilled: (endpointId: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

export interface LaneRefiller extends Pick<Loop, 'stop'> {
  /** Refills the list of this endpoint's lane soon. */
  readonly request: (endpointId: string) => void;
}

export function startLaneRefiller(options: LaneRefillerOptions): LaneRefiller {
  const { onRefilled, clock, log } = options;
  const waiting = new Set<string>();
  const refill = async (endpointId: string): Promise<void> => {
    // A lane whose refill fails asks again when it is due, so it does not hold up the others.
    waiting.delete(endpointId);
    await refillLane(options, endpointId);
    onRefilled(endpointId);
  };
  const work = async (): Promise<number> => {
    await Promise.all([...waiting].slice(0, LANES_AT_ONCE).map(refill));
    return waiting.size === 0 ? IDLE_MS : 0;
  };
  const loop = startLoop({ name: 'refilling lanes', everyMs: IDLE_MS, work, log, clock });
  return {
    stop: loop.stop,
    request: (endpointId) => {
      if (waiting.has(endpointId) || waiting.size >= MAX_WAITING) return;
      waiting.add(endpointId);
      loop.wake();
    },
  };
}

async function refillLane(
  { store, redis }: LaneRefillerOptions,
  endpointId: string,
): Promise<void> {
  const overflow = await readOverflow(redis, endpointId);
  if (overflow === null) return;
  let after = FIRST_PLACE;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const overdue = await store.findOverdueOf(endpointId, after, PAGE);
    const added = await enqueueDeliveries(redis, overdue);
    const last = overdue.at(-1);
    if (last === undefined || overdue.length < PAGE) {
      // Every overdue delivery was offered. Those that found no room have changed the count.
      await settleOverflow(redis, endpointId, overflow);
      return;
    }
    if (added > 0) return;
    after = last;
  }
}
