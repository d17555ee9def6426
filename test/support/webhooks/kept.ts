// Counts the entries of the webhook queues in Redis.
import {
  buildDueKey,
  buildHeldKey,
  buildDeferredPrefix,
  buildLanesKey,
  buildOverflowKey,
  buildReadyKey,
} from '#store/redis/keys.js';
import { GROUP, PARTITIONS } from '#store/redis/webhooks/delivery-partitions.js';
import type { RedisClient } from '#store/redis/client.js';

/** All entries of streams, sets and lists; 0 when all work is done. */
export async function countKept(redis: RedisClient): Promise<number> {
  let kept = 0;
  for (const partition of PARTITIONS) {
    kept += await redis.xlen(buildReadyKey(partition));
    kept += await redis.scard(buildHeldKey(partition));
    kept += await redis.zcard(buildDueKey(partition));
    kept += await redis.zcard(buildLanesKey(partition));
    kept += await redis.hlen(buildOverflowKey(partition));
    for (const list of await redis.keys(`${buildDeferredPrefix(partition)}*`)) {
      kept += await redis.zcard(list);
    }
  }
  return kept;
}

/** Pending entries by consumer. */
export async function countPending(redis: RedisClient): Promise<Map<string, number>> {
  const pending = new Map<string, number>();
  for (const partition of PARTITIONS) {
    const answer = await redis.xpending(buildReadyKey(partition), GROUP);
    const [, , , consumers] = answer as [number, unknown, unknown, [string, string][] | null];
    for (const [name, count] of consumers ?? []) {
      pending.set(name, (pending.get(name) ?? 0) + Number(count));
    }
  }
  return pending;
}

/** For how long no pending entry has been claimed or renewed; 0 when there is none. */
export async function readShortestIdleMs(redis: RedisClient): Promise<number> {
  const idle: number[] = [];
  for (const partition of PARTITIONS) {
    const entries = await redis.xpending(buildReadyKey(partition), GROUP, '-', '+', 10_000);
    for (const [, , idleMs] of entries as [string, string, number, number][]) idle.push(idleMs);
  }
  return idle.length === 0 ? 0 : Math.min(...idle);
}
