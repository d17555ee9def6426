// Finds connections that lead to a former master: after a failover it may keep them open, and what is written there is lost.
// Postgres knows the master (redis_servers). Such connections are closed; they open again to the master that Sentinels,
// or the name in REDIS_URL, name then. The questions also find connections that the network has swallowed: one that gives no
// answer is closed after 4 s (client.ts). A cluster keeps its clients from a former master by itself.
import { Socket } from 'node:net';
import type { Log } from '#ops/runtime/log.js';
import { startLoop } from '#ops/runtime/loop.js';
import { isCluster, isReady, readRunId, type RedisClient } from './client.js';

const CHECK_EVERY_MS = 1_000;

export interface ServerWatchDeps {
  /** Connections that can be asked which server they lead to. */
  readonly asked: readonly RedisClient[];
  /** Subscriptions, which can only be pinged. */
  readonly subscribed: readonly RedisClient[];
  /** Whether one of these servers is a former master. */
  readonly isFormerMaster: (runIds: readonly string[]) => Promise<boolean>;
  readonly log: Log;
}

export interface ServerWatch {
  /** The last check has found a former master. */
  readonly hasFormer: () => boolean;
  readonly stop: () => Promise<void>;
}

export function startServerWatch(deps: ServerWatchDeps): ServerWatch {
  const { asked, subscribed, isFormerMaster, log } = deps;
  let hasFormer = false;
  let runId: string | undefined;
  const loop = startLoop({
    name: 'watch of the Redis server',
    everyMs: CHECK_EVERY_MS,
    log,
    work: async () => {
      await Promise.all(subscribed.filter(isReady).map((redis) => redis.ping()));
      const runIds = await readRunIds(asked);
      if (runIds.length === 0) return;
      const hadFormer = hasFormer;
      hasFormer = await isFormerMaster(runIds);
      if (hasFormer || runIds.length > 1) {
        if (!hadFormer) {
          log.warn({ runIds }, 'connections lead to a former Redis master; connecting again');
        }
        for (const redis of [...asked, ...subscribed].filter(isReady)) redis.disconnect(true);
        return;
      }
      if (runId !== undefined && runId !== runIds[0]) reconnectStrays(asked, subscribed);
      runId = runIds[0];
    },
  });
  return { hasFormer: () => hasFormer, stop: () => loop.stop() };
}

/** The different run ids behind the connections that are ready. */
async function readRunIds(asked: readonly RedisClient[]): Promise<readonly string[]> {
  const runIds = await Promise.all(asked.filter(isReady).map(readRunId));
  return [...new Set(runIds.filter((runId) => runId !== null))];
}

/** The asked connections lead to another server now: subscriptions at another address than theirs stayed behind. */
function reconnectStrays(asked: readonly RedisClient[], subscribed: readonly RedisClient[]): void {
  const address = findAddress(asked[0]);
  const strays = subscribed.filter((redis) => isReady(redis) && findAddress(redis) !== address);
  for (const redis of strays) redis.disconnect(true);
}

function findAddress(redis: RedisClient | undefined): string {
  if (redis === undefined || isCluster(redis) || !(redis.stream instanceof Socket)) return '';
  return `${redis.stream.remoteAddress}:${redis.stream.remotePort}`;
}
