// The one way to open Redis. The driver queues nothing while Redis is away, and sends nothing again: each command is
// answered, or rejects and its sender decides. (By default ioredis repeats an XADD whose reply was lost, which makes
// two entries.)
//
// The deadline of all commands is the socket's: a server that is silent for 4 s is given up, and the commands under
// way reject. `commandTimeout` of ioredis would add a timer to each command, and end blocking reads.
import { Redis, type RedisOptions } from 'ioredis';
import { explainCertificateFault } from '#ops/runtime/addresses/certificates.js';
import {
  isSentinelUrl,
  parseRedisAddress,
  parseSentinelUrl,
} from '#ops/runtime/addresses/redis-address.js';

export type RedisClient = Redis;

const CONNECT_TIMEOUT_MS = 2_000;
/** A blocking read must wait for less. */
const SOCKET_TIMEOUT_MS = 4_000;
const RECONNECT_MAX_MS = 250;
const ERROR_REPORT_EVERY_MS = 10_000;

/**
 * Opens a connection to the server, or to the master that Sentinels name; it reconnects by itself, to the master of
 * that time. `onError` is called when the connection is lost, and every 10 s while Redis is away.
 */
export function openRedis(url: string, onError: (error: Error) => void): RedisClient {
  const address = parseRedisAddress(url);
  const tls = address.authorities === null ? {} : { ca: address.authorities };
  const redis = isSentinelUrl(url)
    ? new Redis(buildSentinelOptions(address.url, tls))
    : new Redis(address.url, { ...OPTIONS, ...(address.authorities === null ? {} : { tls }) });
  let reportedMs = -Infinity;
  redis.on('error', (error: Error) => {
    if (performance.now() - reportedMs < ERROR_REPORT_EVERY_MS) return;
    reportedMs = performance.now();
    explainCertificateFault(error, address);
    onError(error);
  });
  redis.on('ready', () => {
    reportedMs = -Infinity;
  });
  keepOpen(redis);
  return redis;
}

/**
 * ioredis 6.0.0 gives a connection up for ever when it is closed while it asks a Sentinel for the master, which its failover
 * detector does when the news of a failover come late. It is opened again unless it was closed for good.
 */
function keepOpen(redis: RedisClient): void {
  const disconnect = redis.disconnect.bind(redis);
  let hasEnded = false;
  redis.disconnect = (shouldReconnect = false) => {
    hasEnded ||= !shouldReconnect;
    disconnect(shouldReconnect);
  };
  redis.on('end', () => {
    setTimeout(() => {
      if (!hasEnded && redis.status === 'end') redis.connect().catch(() => {});
    }, RECONNECT_MAX_MS);
  });
}

const computeRetryDelayMs = (attempt: number): number => Math.min(RECONNECT_MAX_MS, 20 * attempt);

const OPTIONS = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  connectTimeout: CONNECT_TIMEOUT_MS,
  retryStrategy: computeRetryDelayMs,
  socketTimeout: SOCKET_TIMEOUT_MS,
  // ioredis 6.0.0 handles no rejection of its own SUBSCRIBE, so a connection that is lost meanwhile would end the process.
  autoResubscribe: false,
  // Redis 7.0 does not know CLIENT SETINFO, and a user of ops/deploy/redis-users.acl may not send it.
  disableClientInfo: true,
  // A former master that became a replica refuses writes: connecting again finds the new master.
  reconnectOnError: ({ message }: Error) => message.includes('READONLY'),
} satisfies RedisOptions;

function buildSentinelOptions(url: string, tls: { ca?: string }) {
  const address = parseSentinelUrl(url);
  if (address === undefined) throw new Error('REDIS_URL is not a valid address of Sentinels');
  const { sentinels, master, database, username, password, sentinelPassword, isTls } = address;
  return {
    ...OPTIONS,
    sentinels: sentinels.map((sentinel) => ({ ...sentinel })),
    name: master,
    db: database,
    sentinelRetryStrategy: computeRetryDelayMs,
    // A former master may keep its connections open: Sentinels say when another one takes over.
    failoverDetector: true,
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    ...(isTls ? { tls, sentinelTLS: tls, enableTLSForSentinelMode: true } : {}),
  } satisfies RedisOptions;
}

/** The server's clock in Unix milliseconds. */
export async function readTime(redis: RedisClient): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1000 + Number(microseconds) / 1000;
}

/** The used share of Redis' maxmemory; 0 without a limit. */
export async function readMemoryShare(redis: RedisClient): Promise<number> {
  const info = await redis.info('memory');
  const limit = readNumber(info, 'maxmemory');
  return limit === 0 ? 0 : readNumber(info, 'used_memory') / limit;
}

function readNumber(info: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}

/**
 * Names the master to which the connection leads, by its run id and its replication id: a restart changes the first, a
 * promotion the second, so a master that was demoted and promoted again has another name. null: the server does not say.
 * Rejects when it is no master.
 */
export async function readRunId(redis: RedisClient): Promise<string | null> {
  const info = await redis.info('server', 'replication');
  const read = (name: string): string | null =>
    new RegExp(`^${name}:(\\w+)`, 'm').exec(info)?.[1] ?? null;
  const role = read('role');
  if (role !== null && role !== 'master') {
    throw new Error(`the Redis server is a ${role}; REDIS_URL must lead to a master`);
  }
  const runId = read('run_id');
  return runId === null ? null : `${runId}_${read('master_replid') ?? ''}`;
}

/** Commands can be sent. */
export function isReady(redis: RedisClient): boolean {
  return redis.status === 'ready';
}

/** Resolves once commands can be sent, or after `ms`: a process also starts while Redis is away. */
export function waitUntilReady(redis: RedisClient, ms: number): Promise<void> {
  if (isReady(redis)) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
