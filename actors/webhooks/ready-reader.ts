// How a worker reads the ready streams: one read over all of them that waits on the server; where they are in
// many slots (a cluster), one read each that does not wait, and a short sleep when there was nothing.
import type { RedisClient } from '#store/redis/client.js';
import {
  CrossSlotError,
  type ReadyEntry,
  readReady,
  readReadyBySlot,
} from '#store/redis/webhooks/ready-entries.js';
import { sleep } from '#ops/runtime/retry-loop.js';

const IDLE_MS = 20;

export function createReadyReader(
  redis: RedisClient,
  consumer: string,
): (count: number, blockMs: number) => Promise<ReadyEntry[]> {
  let isOneSlot = true;
  const takeBySlot = async (count: number): Promise<ReadyEntry[]> => {
    const entries = await readReadyBySlot(redis, consumer, count);
    if (entries.length === 0) await sleep(IDLE_MS);
    return entries;
  };
  return async (count, blockMs) => {
    if (!isOneSlot) return takeBySlot(count);
    try {
      return await readReady(redis, consumer, count, blockMs);
    } catch (error) {
      if (!(error instanceof CrossSlotError)) throw error;
      isOneSlot = false;
      return takeBySlot(count);
    }
  };
}
