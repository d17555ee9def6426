// The due-lists: deliveries that wait for their time; and the lanes that could not take all of their deliveries. A
// deferred delivery is in the list of its lane, and the lane has one due time. So a move costs what is moved, however
// many deliveries wait. Lists are short (queue-bounds.ts): a lane whose list had no room overflows to Postgres, and its
// list is refilled from there.
import type { RedisClient } from '../client.js';
import {
  buildDeferredKey,
  buildDeferredPrefix,
  buildDueKey,
  buildHeldKey,
  buildLanesKey,
  buildOverflowKey,
  buildReadyKey,
} from '../keys.js';
import { Pipelines } from '../pipelines.js';
import { loadScript, runScript, runScripts } from '../scripts.js';
import { findDeliveryPartition, PARTITIONS } from './delivery-partitions.js';
import { MAX_ALL_DEFERRED, MAX_DEFERRED, REFILL_BELOW } from './queue-bounds.js';

/** Deliveries, and lanes, that one call moves, of each partition. */
const MAX_MOVED = 500;

const MOVE_DUE = loadScript('move-due', 'clock', 'lane-lists');
const FETCH_DEFERRED = loadScript('fetch-deferred', 'clock');
const SETTLE_OVERFLOW = loadScript('settle-overflow');

/** A lane that has more deliveries. */
export interface DeferredLane {
  readonly endpointId: string;
  /** Its list is short, and Postgres has more. */
  readonly needsRefill: boolean;
}

export interface MovedDeliveries {
  /** Milliseconds until the next entry is due; null: nothing waits. */
  readonly nextInMs: number | null;
  readonly deferredLanes: readonly DeferredLane[];
}

/** Moves entries of the partitions that are due to the ready streams. A lane that has more is due again in `returnMs`. */
export async function moveDue(
  redis: RedisClient,
  partitions: readonly number[],
  returnMs: number,
): Promise<MovedDeliveries> {
  const calls = partitions.map((partition) => ({
    keys: [
      buildDueKey(partition),
      buildReadyKey(partition),
      buildHeldKey(partition),
      buildLanesKey(partition),
      buildOverflowKey(partition),
    ],
    words: [
      ...[MAX_MOVED, buildDeferredPrefix(partition), returnMs],
      ...[MAX_DEFERRED, MAX_ALL_DEFERRED, REFILL_BELOW],
    ],
  }));
  const replies = (await runScripts(redis, MOVE_DUE, calls)) as [number, ...(string | number)[]][];
  const times = replies.map(([nextInMs]) => nextInMs).filter((nextInMs) => nextInMs >= 0);
  return {
    nextInMs: times.length === 0 ? null : Math.min(...times),
    deferredLanes: replies.flatMap(([, ...lanes]) => parseLanes(lanes)),
  };
}

function parseLanes(words: readonly (string | number)[]): DeferredLane[] {
  const lanes: DeferredLane[] = [];
  for (let index = 0; index < words.length; index += 2) {
    lanes.push({ endpointId: String(words[index]), needsRefill: words[index + 1] === 1 });
  }
  return lanes;
}

export interface FetchedDeliveries {
  /** Deliveries that are left in the lane's list. */
  readonly left: number;
  /** The list is short, and Postgres has more. */
  readonly needsRefill: boolean;
}

/** Makes up to `count` deliveries of a lane's list ready. The others return in `returnMs`. */
export async function fetchDeferred(
  redis: RedisClient,
  endpointId: string,
  count: number,
  returnMs: number,
): Promise<FetchedDeliveries> {
  const partition = findDeliveryPartition(endpointId);
  const keys = [
    buildReadyKey(partition),
    buildHeldKey(partition),
    buildLanesKey(partition),
    buildDeferredKey(partition, endpointId),
    buildOverflowKey(partition),
  ];
  const reply = await runScript(redis, FETCH_DEFERRED, keys, [endpointId, count, returnMs]);
  const [left, hasOverflow] = reply as [number, 0 | 1];
  return { left, needsRefill: hasOverflow === 1 && left < REFILL_BELOW };
}

/** How many deliveries the list of this lane had no room for; null: it has not overflowed. */
export function readOverflow(redis: RedisClient, endpointId: string): Promise<string | null> {
  return redis.hget(buildOverflowKey(findDeliveryPartition(endpointId)), endpointId);
}

/** Ends the overflow after all overdue deliveries were offered, unless its count has changed from `overflow` meanwhile. */
export async function settleOverflow(
  redis: RedisClient,
  endpointId: string,
  overflow: string,
): Promise<void> {
  const keys = [buildOverflowKey(findDeliveryPartition(endpointId))];
  await runScript(redis, SETTLE_OVERFLOW, keys, [endpointId, overflow]);
}

/** Sums over all partitions. */
export interface QueueCounts {
  /** Entries of the ready streams, held ones included. */
  readonly ready: number;
  /** Deliveries in the due-lists. */
  readonly due: number;
  /** Lanes with deferred deliveries. */
  readonly lanes: number;
}

export async function countQueued(redis: RedisClient): Promise<QueueCounts> {
  const pipelines = new Pipelines(redis);
  for (const partition of PARTITIONS) {
    const ready = buildReadyKey(partition);
    pipelines.to(ready).xlen(ready);
    for (const key of [buildDueKey(partition), buildLanesKey(partition)]) {
      pipelines.to(key).zcard(key);
    }
  }
  const counts = (await pipelines.exec()).map(([error, count]) => {
    if (error !== null) throw error;
    return Number(count);
  });
  const sum = (from: number): number =>
    counts.reduce((total, count, index) => total + (index % 3 === from ? count : 0), 0);
  return { ready: sum(0), due: sum(1), lanes: sum(2) };
}
