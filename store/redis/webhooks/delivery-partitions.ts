// The partitions of webhook deliveries and their consumer group. An endpoint belongs to one partition, so its
// deliveries share a ready stream, a due-list and the list of their lane. These hold ids only and are rebuilt from
// Postgres when Redis loses them.
import { partitionFor } from '#actors/core/partition.js';
import type { RedisClient } from '../client.js';
import { buildHeldKey, buildReadyKey, RECONCILER_KEY } from '../keys.js';
import { loadScript, runScripts, type ScriptCall } from '../scripts.js';

/** Safe to change: entries of the former partitions are rebuilt from Postgres. */
export const DELIVERY_PARTITIONS = 16;

/** The consumer group of the webhooks processes. */
export const GROUP = 'webhooks';

export const PARTITIONS: readonly number[] = Array.from(
  { length: DELIVERY_PARTITIONS },
  (_, partition) => partition,
);

const REPAIR = loadScript('repair');
const LEAVE = loadScript('leave');
const DROP_CONSUMERS = loadScript('drop-consumers');

export const findDeliveryPartition = (endpointId: string): number =>
  partitionFor(endpointId, DELIVERY_PARTITIONS);

/** Script arguments of all items, by partition. */
export function groupByPartition<Item>(
  items: readonly Item[],
  findPartition: (item: Item) => number,
  listArguments: (item: Item) => readonly (string | number)[],
): Map<number, (string | number)[]> {
  const groups = new Map<number, (string | number)[]>();
  for (const item of items) {
    const partition = findPartition(item);
    const group = groups.get(partition);
    if (group === undefined) groups.set(partition, [...listArguments(item)]);
    else group.push(...listArguments(item));
  }
  return groups;
}

/** Creates missing groups and rebuilds sets of held deliveries; returns how many partitions needed it. */
export async function repairDeliveries(
  redis: RedisClient,
  partitions: readonly number[] = PARTITIONS,
): Promise<number> {
  const calls = partitions.map((partition) => ({
    keys: [buildReadyKey(partition), buildHeldKey(partition)],
    words: [GROUP],
  }));
  return sumReplies(await runScripts(redis, REPAIR, calls));
}

/** Leaves the group in each partition where nothing is pending for this consumer. */
export async function leaveGroup(redis: RedisClient, consumer: string): Promise<void> {
  await runScripts(redis, LEAVE, buildCalls([GROUP, consumer]));
}

/** Removes consumers that were idle for `idleMs` and have nothing pending; returns how many. */
export async function dropConsumers(redis: RedisClient, idleMs: number): Promise<number> {
  return sumReplies(await runScripts(redis, DROP_CONSUMERS, buildCalls([GROUP, idleMs])));
}

/** True for one process at a time, for `leaseMs`. */
export async function leadReconciling(
  redis: RedisClient,
  consumer: string,
  leaseMs: number,
): Promise<boolean> {
  return (await redis.set(RECONCILER_KEY, consumer, 'PX', leaseMs, 'NX')) === 'OK';
}

const buildCalls = (words: readonly (string | number)[]): ScriptCall[] =>
  PARTITIONS.map((partition) => ({ keys: [buildReadyKey(partition)], words }));

const sumReplies = (replies: readonly unknown[]): number =>
  replies.reduce<number>((sum, reply) => sum + Number(reply), 0);
