// The ready streams: deliveries to be attempted now. An entry of a stream names one delivery. A delivery has one entry
// at most, because the scripts do not append a delivery that is in the stream, in the due-list or in the list of its
// lane. ready-leases.ts reads entries; this file appends and finishes them.
import type { RedisClient } from '../client.js';
import {
  buildDeadKey,
  buildDeferredPrefix,
  buildDueKey,
  buildHeldKey,
  buildLanesKey,
  buildOverflowKey,
  buildReadyKey,
} from '../keys.js';
import { loadScript, runScripts } from '../scripts.js';
import { findDeliveryPartition, GROUP, groupByPartition } from './delivery-partitions.js';
import {
  MAX_ALL_DEFERRED,
  MAX_DEAD,
  MAX_DEFERRED,
  MAX_DUE,
  MAX_LANE_PAUSE_MS,
  MAX_LATE_MS,
  MAX_READY,
} from './queue-bounds.js';

/** Arguments of one script call; Lua unpacks a few thousand at most. */
const MAX_ARGUMENTS = 2_000;

const ENQUEUE = loadScript('enqueue', 'clock', 'lane-lists');
const FINISH = loadScript('finish', 'clock', 'lane-lists');

export interface DeliveryKey {
  readonly id: string;
  readonly endpointId: string;
}

export interface ReadyEntry {
  readonly partition: number;
  readonly entryId: string;
  readonly deliveryId: string;
  readonly endpointId: string;
  /** It comes from the list of its lane: it was due earlier, and its endpoint could not take it. */
  readonly wasDeferred: boolean;
}

/** The entry's name over all partitions; each stream numbers its entries for itself. */
export const formatPlace = ({ partition, entryId }: Pick<ReadyEntry, 'partition' | 'entryId'>) =>
  `${partition} ${entryId}`;

/**
 * Appends deliveries that are due to the ready streams of their endpoints, or to the lists of their lanes; returns how many were added.
 * The others were enqueued already and due soon, or are left to Postgres because the list of their lane is full.
 */
export async function enqueueDeliveries(
  redis: RedisClient,
  deliveries: readonly DeliveryKey[],
): Promise<number> {
  const groups = groupByPartition(
    deliveries,
    ({ endpointId }) => findDeliveryPartition(endpointId),
    ({ id, endpointId }) => [endpointId, id],
  );
  const calls = [...groups].flatMap(([partition, all]) =>
    chunk(all, MAX_ARGUMENTS).map((some) => ({
      keys: [
        buildReadyKey(partition),
        buildHeldKey(partition),
        buildDueKey(partition),
        buildLanesKey(partition),
        buildOverflowKey(partition),
      ],
      words: [
        ...[MAX_READY, buildDeferredPrefix(partition), MAX_DEFERRED, MAX_ALL_DEFERRED],
        ...[MAX_LATE_MS, MAX_LANE_PAUSE_MS],
        ...some,
      ],
    })),
  );
  const enqueued = await runScripts(redis, ENQUEUE, calls);
  return enqueued.reduce<number>((sum, count) => sum + Number(count), 0);
}

function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  const chunks: Item[][] = [];
  for (let from = 0; from < items.length; from += size) chunks.push(items.slice(from, from + size));
  return chunks;
}

/**
 * The next state of an entry's delivery. After an attempt, or when none is needed: `done`, `retry` or `dead`. Without
 * an attempt, and only while this consumer holds the entry: `deferred` (in the list of its lane, for `returnInMs`) or
 * `returned` (to the due-list).
 */
export type EntryOutcome =
  | { entry: ReadyEntry; step: 'done' }
  | { entry: ReadyEntry; step: 'retry' | 'returned'; dueInMs: number }
  | { entry: ReadyEntry; step: 'deferred'; returnInMs: number }
  | { entry: ReadyEntry; step: 'dead'; reason: string };

/** Acknowledges and deletes entries, and moves their deliveries on. Idempotent. */
export async function finishEntries(
  redis: RedisClient,
  consumer: string,
  outcomes: readonly EntryOutcome[],
): Promise<void> {
  const groups = groupByPartition(
    outcomes,
    ({ entry }) => entry.partition,
    (outcome) => [
      outcome.entry.entryId,
      outcome.entry.endpointId,
      outcome.entry.deliveryId,
      outcome.step,
      formatOutcomeArgument(outcome),
    ],
  );
  const calls = [...groups].map(([partition, some]) => ({
    keys: [
      buildReadyKey(partition),
      buildHeldKey(partition),
      buildDueKey(partition),
      buildDeadKey(partition),
      buildLanesKey(partition),
      buildOverflowKey(partition),
    ],
    words: [
      ...[GROUP, consumer, MAX_DEAD, buildDeferredPrefix(partition)],
      ...[MAX_DEFERRED, MAX_ALL_DEFERRED, MAX_DUE],
      ...some,
    ],
  }));
  await runScripts(redis, FINISH, calls);
}

function formatOutcomeArgument(outcome: EntryOutcome): string | number {
  switch (outcome.step) {
    case 'retry':
    case 'returned':
      return Math.ceil(outcome.dueInMs);
    case 'deferred':
      return Math.ceil(outcome.returnInMs);
    case 'dead':
      return outcome.reason;
    case 'done':
      return '';
    default:
      return outcome satisfies never;
  }
}
