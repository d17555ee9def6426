// The connections of the webhooks process. Each purpose has its own pool, so that slow statements of one do not hold up
// the others.
import type { Config } from '#ops/runtime/config.js';
import type { Lifecycle } from '#ops/runtime/lifecycle.js';
import type { Log } from '#ops/runtime/log.js';
import {
  BY_KEY,
  closePostgres,
  openPostgres,
  type PoolOptions,
  type Postgres,
} from '#store/postgres/client.js';
import {
  openRedis,
  openSubscriber,
  type RedisClient,
  waitUntilReady,
} from '#store/redis/client.js';

const CONNECTIONS = 2;
const START_WAIT_MS = 5_000;

export interface WebhookStores {
  readonly attempts: Postgres;
  /** Loads what attempts need. */
  readonly deliveries: Postgres;
  readonly reads: Postgres;
  readonly fanOut: Postgres;
  readonly paymentFollower: Postgres;
  readonly totals: Postgres;
  readonly search: Postgres;
  /** The queues of deliveries, on the server for webhooks. */
  readonly redis: RedisClient;
  /** For reads of these queues that wait for entries. */
  readonly blockingRedis: RedisClient;
  /** API logs and commands, on the server of the other processes. */
  readonly commandsRedis: RedisClient;
  /** Subscriptions on that server. */
  readonly subscribedRedis: RedisClient;
}

/** Opens all connections; they are closed when the process stops. */
export function openStores(config: Config, lifecycle: Lifecycle, log: Log): WebhookStores {
  const openPool = (purpose: string, max = CONNECTIONS, options: PoolOptions = {}): Postgres => {
    const sql = openPostgres(config.databaseUrl, purpose, max, options);
    lifecycle.onStop(`postgres ${purpose}`, () => closePostgres(sql));
    return sql;
  };
  const openClient = (url: string, open: typeof openRedis = openRedis): RedisClient => {
    const client = open(url, (error) => {
      log.warn({ err: error }, 'Redis connection failed');
    });
    lifecycle.onStop('redis', () => {
      client.disconnect();
    });
    return client;
  };
  const byKey = { plans: BY_KEY };
  return {
    attempts: openPool('attempts', CONNECTIONS, byKey),
    deliveries: openPool('deliveries', CONNECTIONS, byKey),
    reads: openPool('webhooks reads'),
    fanOut: openPool('fan-out', CONNECTIONS, byKey),
    paymentFollower: openPool('payment follower', 1, byKey),
    totals: openPool('totals', 1, byKey),
    search: openPool('search', 1, byKey),
    redis: openClient(config.redisWebhooksUrl),
    blockingRedis: openClient(config.redisWebhooksUrl),
    commandsRedis: openClient(config.redisUrl),
    subscribedRedis: openClient(config.redisUrl, openSubscriber),
  };
}

/** Without the wait the first log line of a process would say that Redis is away. */
export async function waitForRedis(stores: WebhookStores): Promise<void> {
  const clients = [stores.redis, stores.blockingRedis, stores.commandsRedis];
  await Promise.all(clients.map((client) => waitUntilReady(client, START_WAIT_MS)));
}
