// The due-lists of webhook deliveries, and the lists of lanes that could not take what was theirs. Moving costs
// what is moved, however much waits: an entry of the due-list is found by its time, and a lane with a list
// is one entry, however long its list is.
import type { RedisClient } from '../client.js';
import {
  buildDueKey,
  buildHeldKey,
  buildDeferredKey,
  buildDeferredPrefix,
  buildReadyKey,
} from '../keys.js';
import { loadScript, runScript, runScripts } from '../scripts.js';
import { findDeliveryPartition, PARTITIONS } from './delivery-partitions.js';

const MOVED_AT_ONCE = 500;

const MOVE_DUE = loadScript('move-due');
const FETCH_DEFERRED = loadScript('fetch-parked');

export interface MovedDeliveries {
  /** Unix milliseconds; null: nothing waits. */
  nextAtMs: number | null;
  /** Whose lanes have more in their lists. */
  deferredOf: string[];
}

/** Moves what is due by `nowMs` to the ready streams; a lane with more in its list is due again in `returnMs`. */
export async function moveDue(
  redis: RedisClient,
  nowMs: number,
  returnMs: number,
): Promise<MovedDeliveries> {
  const calls = PARTITIONS.map((partition) => ({
    keys: [buildDueKey(partition), buildReadyKey(partition), buildHeldKey(partition)],
    words: [nowMs, MOVED_AT_ONCE, buildDeferredPrefix(partition), returnMs],
  }));
  const answers = (await runScripts(redis, MOVE_DUE, calls)) as string[][];
  const times = answers.map(([next = '']) => next).filter((next) => next !== '');
  return {
    nextAtMs: times.length === 0 ? null : Math.min(...times.map(Number)),
    deferredOf: answers.flatMap(([, ...endpoints]) => endpoints),
  };
}

/** Makes up to `count` of a lane's list ready; answers how many are left, to return at `returnAtMs`. */
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

/** Makes what waits for a retry due at once. What is not in the due-list, or due sooner, stays where it is. */
export async function expediteDeliveries(
  redis: RedisClient,
  deliveries: readonly { id: string; endpointId: string }[],
  nowMs: number,
): Promise<void> {
  const pipeline = redis.pipeline();
  for (const { id, endpointId } of deliveries) {
    const key = buildDueKey(findDeliveryPartition(endpointId));
    pipeline.zadd(key, 'XX', 'LT', nowMs, `${endpointId} ${id}`);
  }
  for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
}

/** What stands in Redis, over all partitions. */
export interface Queued {
  /** Waiting for a worker, or in its hands. */
  readonly ready: number;
  /** Retries that wait, and lanes with a list. */
  readonly due: number;
}

export async function countQueued(redis: RedisClient): Promise<Queued> {
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
