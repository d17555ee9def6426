// The one way to open Redis. Nothing is queued while it is away, nothing is sent again by the driver:
// a command either got its answer or its sender hears an error and decides (FACTS: by default ioredis
// repeats an XADD whose reply was lost, which makes two entries).
import { Redis, type RedisOptions } from 'ioredis';
import { isSentinelUrl, parseSentinelUrl } from '#ops/runtime/redis-address.js';

export type RedisClient = Redis;

const CONNECT_TIMEOUT_MS = 2_000;
/** A server that answers nothing for so long is given up; no read may block longer. */
const SOCKET_TIMEOUT_MS = 4_000;
const RECONNECT_MAX_MS = 250;
/** While it is away, no more errors are told than one in this time. */
const TOLD_EVERY_MS = 10_000;

/**
 * Opens a connection to the server, or to the master that Sentinels name at the time; it comes back by itself, to
 * whoever is master then. `onError` hears what went wrong, for the log: when it goes, and from time to time while
 * it is away.
 */
export function openRedis(url: string, onError: (error: Error) => void): RedisClient {
  const redis = isSentinelUrl(url) ? new Redis(buildSentinelOptions(url)) : new Redis(url, OPTIONS);
  let toldMs = -Infinity;
  redis.on('error', (error: Error) => {
    if (performance.now() - toldMs < TOLD_EVERY_MS) return;
    toldMs = performance.now();
    onError(error);
  });
  redis.on('ready', () => {
    toldMs = -Infinity;
  });
  return redis;
}

const computeRetryDelayMs = (attempt: number): number => Math.min(RECONNECT_MAX_MS, 20 * attempt);

const OPTIONS = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  connectTimeout: CONNECT_TIMEOUT_MS,
  retryStrategy: computeRetryDelayMs,
  socketTimeout: SOCKET_TIMEOUT_MS,
  // Whoever was master and takes no writes any more is left: the connection is opened anew.
  reconnectOnError: ({ message }: Error) => message.includes('READONLY'),
} satisfies RedisOptions;

function buildSentinelOptions(url: string) {
  const address = parseSentinelUrl(url);
  if (address === undefined) throw new Error('this is no address of Sentinels');
  const { sentinels, master, database, username, password, sentinelPassword, isTls } = address;
  return {
    ...OPTIONS,
    sentinels: sentinels.map((sentinel) => ({ ...sentinel })),
    name: master,
    db: database,
    sentinelRetryStrategy: computeRetryDelayMs,
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    ...(isTls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
  } satisfies RedisOptions;
}

/** The server's clock, Unix milliseconds. */
export async function readTime(redis: RedisClient): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1000 + Number(microseconds) / 1000;
}

/** True once commands can be sent. */
export function isReady(redis: RedisClient): boolean {
  return redis.status === 'ready';
}

/** Resolves once commands can be sent, or after `ms`: processes also start while Redis is away. */
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
