// Keeps the command streams of the owned partitions: drops what is committed, and notices that Redis lost
// streams or their tails while connected (FLUSHALL and a fail-over break no connection). Four times a
// second, apart from the batches: trimmed with each commit, the streams cost Redis an append and an fsync more.
// Each look also asks Redis for its time (stream-clock.ts).
import type { Cursor, StreamCondition } from '#store/redis/commands.js';
import type { RedisClient } from '#store/redis/client.js';
import { isReady } from '#store/redis/client.js';
import type { Log } from '#ops/runtime/log.js';
import type { LoopMetrics } from './loop-metrics.js';
import type { Ownership } from './owned-partition.js';
import type { StreamClock } from './stream-clock.js';

const LOOK_EVERY_MS = 250;

export interface StreamGuardDeps {
  redis: RedisClient;
  owned: Ownership;
  tend: (cursors: readonly Cursor[]) => Promise<Map<number, StreamCondition>>;
  streamClock: StreamClock;
  metrics: LoopMetrics;
  log: Log;
}

/** Starts guarding; answers the function that stops it. */
export function startStreamGuard(parts: StreamGuardDeps): () => void {
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking || !isReady(parts.redis)) return;
    isLooking = true;
    checkStreams(parts)
      .catch((error: unknown) => {
        parts.log.warn({ err: error }, 'streams could not be tended');
      })
      .finally(() => {
        isLooking = false;
      });
  }, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
  };
}

async function checkStreams({
  owned,
  tend,
  streamClock,
  metrics,
  log,
}: StreamGuardDeps): Promise<void> {
  metrics.setOwned(owned.size);
  await streamClock.measure();
  const cursors = [...owned.values()].map((entry) => ({
    partition: entry.partition,
    after: entry.position,
  }));
  if (cursors.length === 0) return;
  for (const [partition, { repair, backlog }] of await tend(cursors)) {
    metrics.setBacklog(partition, backlog);
    if (repair === 'sound') continue;
    metrics.onRepair(repair);
    log.error({ partition, repair }, 'a command stream had lost data and was mended');
  }
}
