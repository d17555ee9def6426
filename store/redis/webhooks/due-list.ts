// The due-lists: deliveries that wait for their time, and lanes that could not take all of their deliveries. A deferred
// delivery is in the list of its lane, and the due-list has one entry for the lane. So a move costs what is moved,
// however many deliveries wait.
import type { RedisClient } from '../client.js';
import {
  buildDeferredKey,
  buildDeferredPrefix,
  buildDueKey,
  buildHeldKey,
  buildReadyKey,
} from '../keys.js';
import { loadScript, runScript, runScripts } from '../scripts.js';
import { findDeliveryPartition, PARTITIONS } from './delivery-partitions.js';
import type { DeliveryKey } from './ready-entries.js';

/** Entries that one call moves, of each partition. */
const MAX_MOVED = 500;

const MOVE_DUE = loadScript('move-due');
const FETCH_DEFERRED = loadScript('fetch-deferred');

export interface MovedDeliveries {
  /** When the next entry is due, Unix milliseconds; null: the lists are empty. */
  readonly nextAtMs: number | null;
  /** Endpoints whose lanes have more deliveries in their lists. */
  readonly deferredEndpoints: string[];
}

/** Moves entries that are due by `nowMs` to the ready streams. A lane with more in its list is due again in `returnMs`. */
export async function moveDue(
  redis: RedisClient,
  nowMs: number,
  returnMs: number,
): Promise<MovedDeliveries> {
  const calls = PARTITIONS.map((partition) => ({
    keys: [buildDueKey(partition), buildReadyKey(partition), buildHeldKey(partition)],
    words: [nowMs, MAX_MOVED, buildDeferredPrefix(partition), returnMs],
  }));
  const replies = (await runScripts(redis, MOVE_DUE, calls)) as string[][];
  const times = replies.map(([next = '']) => next).filter((next) => next !== '');
  return {
    nextAtMs: times.length === 0 ? null : Math.min(...times.map(Number)),
    deferredEndpoints: replies.flatMap(([, ...endpoints]) => endpoints),
  };
}

/** Makes up to `count` deliveries of a lane's list ready; returns how many are left, which return at `returnAtMs`. */
export async function fetchDeferred(
  redis: RedisClient,
  endpointId: string,
  count: number,
  returnAtMs: number,
): Promise<number> {
  const partition = findDeliveryPartition(endpointId);
  const keys = [
    buildReadyKey(partition),
    buildHeldKey(partition),
    buildDueKey(partition),
    buildDeferredKey(partition, endpointId),
  ];
  return Number(await runScript(redis, FETCH_DEFERRED, keys, [endpointId, count, returnAtMs]));
}

/** Makes deliveries that wait in the due-list due at `nowMs`. It adds none, and delays none that is due earlier. */
export async function expediteDeliveries(
  redis: RedisClient,
  deliveries: readonly DeliveryKey[],
  nowMs: number,
): Promise<void> {
  const pipeline = redis.pipeline();
  for (const { id, endpointId } of deliveries) {
    const key = buildDueKey(findDeliveryPartition(endpointId));
    pipeline.zadd(key, 'XX', 'LT', nowMs, `${endpointId} ${id}`);
  }
  for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
}

/** Sums over all partitions. */
export interface QueueCounts {
  /** Entries of the ready streams, held ones included. */
  readonly ready: number;
  /** Entries of the due-lists: deliveries, and lanes with a list. */
  readonly due: number;
}

export async function countQueued(redis: RedisClient): Promise<QueueCounts> {
  const pipeline = redis.pipeline();
  for (const partition of PARTITIONS) {
    pipeline.xlen(buildReadyKey(partition)).zcard(buildDueKey(partition));
  }
  const counts = ((await pipeline.exec()) ?? []).map(([error, count]) => {
    if (error !== null) throw error;
    return Number(count);
  });
  const sum = (from: number): number =>
    counts.reduce((total, count, index) => total + (index % 2 === from ? count : 0), 0);
  return { ready: sum(0), due: sum(1) };
}
