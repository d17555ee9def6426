// The partitions of webhook deliveries, by endpoint: an endpoint's deliveries share a ready stream, a due-list
// and the list of their lane. What stands there is ids only, and can be made again from Postgres.
import { partitionFor } from '#actors/core/partition.js';

/** Free to change: what stands in Redis is made again from Postgres. */
export const DELIVERY_PARTITIONS = 16;

/** The consumer group of the webhooks processes. */
export const GROUP = 'webhooks';

export const PARTITIONS: readonly number[] = Array.from(
  { length: DELIVERY_PARTITIONS },
  (_, partition) => partition,
);

export const findDeliveryPartition = (endpointId: string): number =>
  partitionFor(endpointId, DELIVERY_PARTITIONS);

/** The words of each item, by the partition of its endpoint. */
export function groupWordsByPartition<Item>(
  items: readonly Item[],
  partitionOf: (item: Item) => number,
  wordsOf: (item: Item) => readonly (string | number)[],
): Map<number, (string | number)[]> {
  const words = new Map<number, (string | number)[]>();
  for (const item of items) {
    const partition = partitionOf(item);
    const known = words.get(partition);
    if (known === undefined) words.set(partition, [...wordsOf(item)]);
    else known.push(...wordsOf(item));
  }
  return words;
}
