// The connections of the rails process. Each purpose has its own pool, so that slow statements of one do not hold up the
// others.
import type { Process } from '#ops/runtime/process.js';
import { BY_KEY, closePostgres, openPostgres, type Postgres } from '#store/postgres/client.js';
import { isFormerMaster } from '#store/postgres/payments/partition-leases.js';
import { openRedis, openSubscriber, type RedisClient } from '#store/redis/client.js';
import { startServerWatch } from '#store/redis/server-watch.js';

const CONNECTIONS = 2;
const CALL_CONNECTIONS = 4;

export interface RailsStores {
  readonly reads: Postgres;
  readonly calls: Postgres;
  /** For statements that read whole tables. */
  readonly background: Postgres;
  readonly redis: RedisClient;
  /** For subscriptions. */
  readonly subscriber: RedisClient;
  /** For reads that wait for entries. */
  readonly blockingRedis: RedisClient;
}

/** Opens all connections; they are closed when the process stops. */
export function openStores({ config, lifecycle, log }: Process): RailsStores {
  const url = config.databaseUrl;
  const reads = openPostgres(url, 'rails', CONNECTIONS, { plans: BY_KEY });
  const calls = openPostgres(url, 'rail calls', CALL_CONNECTIONS, { plans: BY_KEY });
  const background = openPostgres(url, 'rails background', CONNECTIONS);
  lifecycle.onStop('postgres', () => Promise.all([reads, calls, background].map(closePostgres)));
  const onError = (error: unknown): void => {
    log.warn({ err: error }, 'a connection to Redis failed; reconnecting');
  };
  const redis = openRedis(config.redisUrl, onError);
  const subscriber = openSubscriber(config.redisUrl, onError);
  const blockingRedis = openRedis(config.redisUrl, onError);
  lifecycle.onStop('redis', () => {
    for (const connection of [redis, subscriber, blockingRedis]) connection.disconnect();
  });
  const watch = startServerWatch({
    ...{ asked: [redis, blockingRedis], subscribed: [subscriber], log },
    isFormerMaster: (runIds) => isFormerMaster(reads, runIds),
  });
  lifecycle.onStop('watch of the Redis server', watch.stop);
  return { reads, calls, background, redis, subscriber, blockingRedis };
}
