// Maintains the command streams of the owned partitions four times a second: trims committed frames, repairs streams
// that lost data while connected (FLUSHALL and a failover break no connection), and measures Redis' clock. It is apart
// from the batches, since a trim with each commit costs Redis an append and an fsync more.
import type { Clock } from '#ops/runtime/clock.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Log } from '#ops/runtime/log.js';
import { isReady, type RedisClient } from '#store/redis/client.js';
import type { LoopMetrics } from './loop-metrics.js';
import type { Ownership } from './owned-partition.js';
import type { CommandStreams } from './ports.js';
import type { StreamClock } from './stream-clock.js';

const EVERY_MS = 250;

export interface StreamGuardDeps {
  clock: Clock;
  redis: RedisClient;
  owned: Ownership;
  streams: Pick<CommandStreams, 'maintain'>;
  streamClock: StreamClock;
  metrics: LoopMetrics;
  log: Log;
}

export function startStreamGuard(deps: StreamGuardDeps): Loop {
  return startLoop({
    name: 'maintenance of command streams',
    everyMs: EVERY_MS,
    log: deps.log,
    clock: deps.clock,
    work: async () => {
      if (isReady(deps.redis)) await maintainOwned(deps);
    },
  });
}

async function maintainOwned(deps: StreamGuardDeps): Promise<void> {
  const { owned, streams, streamClock, metrics, log } = deps;
  metrics.setOwned(owned.size);
  metrics.setDeferred(
    [...owned.values()].reduce((sum, one) => sum + (one.deferred?.length ?? 0), 0),
  );
  await streamClock.measure();
  const cursors = [...owned.values()].map(({ partition, position }) => {
    return { partition, after: position };
  });
  if (cursors.length === 0) return;
  for (const [partition, { repair, backlogMs }] of await streams.maintain(cursors)) {
    metrics.setBacklog(partition, backlogMs);
    if (repair === 'sound') continue;
    metrics.onRepair(repair);
    log.error({ partition, repair }, 'a command stream had lost data and was repaired');
  }
}
