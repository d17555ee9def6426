// The queues of webhook deliveries, partitioned by endpoint: a ready stream that the webhooks processes read
// as one group, a due-list, a stream of dead letters. They hold ids only, and nothing that could not be made
// again from Postgres. A delivery is held once: the scripts see to it that an id which stands in the stream
// or in the due-list is not appended again.
import { partitionOf } from '../../actors/core/partition.js';
import type { RedisClient } from './client.js';
import { deadKey, dueKey, heldKey, readyKey, RECONCILER_KEY } from './keys.js';
import { loadScript, runScript } from './scripts.js';

/** Free to change: what stands in Redis is made again from Postgres. */
export const DELIVERY_PARTITIONS = 16;
const GROUP = 'webhooks';
/** Entries a partition; what is beyond waits in Postgres. */
const MAX_READY = 20_000;
const MAX_DEAD = 10_000;
const MOVED_AT_ONCE = 500;
const ENQUEUED_AT_ONCE = 1_000;

const ENQUEUE = loadScript('enqueue');
const MOVE_DUE = loadScript('move-due');
const FINISH = loadScript('finish');
const MEND = loadScript('mend');
const LEAVE = loadScript('leave');

export const deliveryPartitionOf = (endpointId: string): number =>
  partitionOf(endpointId, DELIVERY_PARTITIONS);

const PARTITIONS = Array.from({ length: DELIVERY_PARTITIONS }, (_, partition) => partition);
const READY_KEYS = PARTITIONS.map(readyKey);
const PARTITION_OF_KEY = new Map(READY_KEYS.map((key, partition) => [key, partition]));

export interface ReadyEntry {
  partition: number;
  entryId: string;
  deliveryId: string;
}

/** Appends deliveries to the ready streams of their endpoints; answers how many were not held already. */
export async function enqueueDeliveries(
  redis: RedisClient,
  deliveries: readonly { id: string; endpointId: string }[],
): Promise<number> {
  const byPartition = new Map<number, string[]>();
  for (const { id, endpointId } of deliveries) {
    const partition = deliveryPartitionOf(endpointId);
    const ids = byPartition.get(partition);
    if (ids === undefined) byPartition.set(partition, [id]);
    else ids.push(id);
  }
  const appended = await Promise.all(
    [...byPartition].flatMap(([partition, ids]) =>
      chunk(ids, ENQUEUED_AT_ONCE).map((some) => {
        const keys = [readyKey(partition), heldKey(partition), dueKey(partition)];
        return runScript(redis, ENQUEUE, keys, [MAX_READY, ...some]);
      }),
    ),
  );
  return appended.reduce<number>((sum, count) => sum + Number(count), 0);
}

function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  const chunks: Item[][] = [];
  for (let from = 0; from < items.length; from += size) chunks.push(items.slice(from, from + size));
  return chunks;
}

/** Thrown when the group is missing: Redis has lost data and must be mended first. */
export class GroupLostError extends Error {
  override readonly name = 'GroupLostError';
}

/** Waits up to `blockMs` for entries that nobody has taken yet; at most `count` a partition. */
export async function takeReady(
  redis: RedisClient,
  consumer: string,
  count: number,
  blockMs: number,
): Promise<ReadyEntry[]> {
  const answer = await redis
    .xreadgroup(
      ...(['GROUP', GROUP, consumer, 'COUNT', count, 'BLOCK', blockMs, 'STREAMS'] as const),
      ...READY_KEYS,
      ...READY_KEYS.map(() => '>'),
    )
    .catch((error: unknown) => {
      throw isGroupLost(error) ? new GroupLostError() : error;
    });
  return ((answer ?? []) as [string, unknown[]][]).flatMap(([key, entries]) =>
    toEntries(PARTITION_OF_KEY.get(key) ?? 0, entries),
  );
}

/** Takes over entries whose worker has not finished them within `idleMs`; at most `count` a partition. */
export async function takeOverStale(
  redis: RedisClient,
  consumer: string,
  idleMs: number,
  count: number,
): Promise<ReadyEntry[]> {
  const pipeline = redis.pipeline();
  for (const key of READY_KEYS)
    pipeline.xautoclaim(key, GROUP, consumer, idleMs, '0-0', 'COUNT', count);
  const answers = (await pipeline.exec()) ?? [];
  return answers.flatMap(([error, answer], partition) => {
    if (error !== null) throw isGroupLost(error) ? new GroupLostError() : error;
    return toEntries(partition, (answer as [string, unknown[]])[1]);
  });
}

const isGroupLost = (error: unknown): boolean =>
  error instanceof Error && /^(NOGROUP|UNBLOCKED)/.test(error.message);

/** Entries that were deleted meanwhile come without fields. */
function toEntries(partition: number, entries: readonly unknown[]): ReadyEntry[] {
  return entries.flatMap((entry) => {
    const [entryId, fields] = entry as [string, string[] | null];
    const deliveryId = fields?.[1];
    return deliveryId === undefined ? [] : [{ partition, entryId, deliveryId }];
  });
}

/** How an entry ends: done, later (Unix milliseconds), dead, or twice (another entry stands for it). */
export type EntryEnd =
  | { entry: ReadyEntry; step: 'done' | 'twice' }
  | { entry: ReadyEntry; step: 'later'; dueAtMs: number }
  | { entry: ReadyEntry; step: 'dead'; reason: string };

/** Acknowledges and removes entries, and puts their deliveries where they go on. May be repeated. */
export async function finishEntries(redis: RedisClient, ends: readonly EntryEnd[]): Promise<void> {
  const byPartition = new Map<number, (string | number)[]>();
  for (const end of ends) {
    const { partition, entryId, deliveryId } = end.entry;
    const words = byPartition.get(partition) ?? [GROUP, MAX_DEAD];
    words.push(entryId, deliveryId, end.step, argumentOf(end));
    byPartition.set(partition, words);
  }
  await Promise.all(
    [...byPartition].map(([partition, words]) => {
      const keys = [readyKey(partition), heldKey(partition), dueKey(partition), deadKey(partition)];
      return runScript(redis, FINISH, keys, words);
    }),
  );
}

function argumentOf(end: EntryEnd): string | number {
  if (end.step === 'later') return Math.ceil(end.dueAtMs);
  return end.step === 'dead' ? end.reason : '';
}

/** Moves what is due by `nowMs` to the ready streams; answers when the next is due, null: nothing waits. */
export async function moveDue(redis: RedisClient, nowMs: number): Promise<number | null> {
  const answers = await Promise.all(
    PARTITIONS.map((partition) => {
      const keys = [dueKey(partition), readyKey(partition), heldKey(partition)];
      return runScript(redis, MOVE_DUE, keys, [nowMs, MOVED_AT_ONCE]);
    }),
  );
  const times = answers.filter((answer) => answer !== null).map(Number);
  return times.length === 0 ? null : Math.min(...times);
}

/** Makes groups and sets right; answers how many partitions had lost something (or were new). */
export async function mendDeliveries(redis: RedisClient): Promise<number> {
  const answers = await Promise.all(
    PARTITIONS.map((partition) =>
      runScript(redis, MEND, [readyKey(partition), heldKey(partition)], [GROUP]),
    ),
  );
  return answers.reduce<number>((sum, answer) => sum + Number(answer), 0);
}

/** True for one process at a time, for `leaseMs`. */
export async function leadReconciling(
  redis: RedisClient,
  name: string,
  leaseMs: number,
): Promise<boolean> {
  return (await redis.set(RECONCILER_KEY, name, 'PX', leaseMs, 'NX')) === 'OK';
}

/** Leaves the group, where nothing is pending for this consumer; elsewhere it stays, to be taken over. */
export async function leaveGroup(redis: RedisClient, consumer: string): Promise<void> {
  await Promise.all(READY_KEYS.map((key) => runScript(redis, LEAVE, [key], [GROUP, consumer])));
}
