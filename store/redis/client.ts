// The one way to open Redis. Nothing is queued while it is away, nothing is sent again by the driver:
// a command either got its answer or its sender hears an error and decides (FACTS: by default ioredis
// repeats an XADD whose reply was lost, which makes two entries).
import { Redis } from 'ioredis';

export type RedisClient = Redis;

const CONNECT_TIMEOUT_MS = 2_000;
/** A server that answers nothing for so long is given up; no read may block longer. */
const SOCKET_TIMEOUT_MS = 4_000;
const RECONNECT_MAX_MS = 250;

/** Opens a connection; it comes back by itself. `onError` hears what went wrong, for the log. */
export function openRedis(url: string, onError: (error: Error) => void): RedisClient {
  const redis = new Redis(url, {
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: (attempt: number) => Math.min(RECONNECT_MAX_MS, 20 * attempt),
    socketTimeout: SOCKET_TIMEOUT_MS,
  });
  redis.on('error', onError);
  return redis;
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
export function whenReady(redis: RedisClient, ms: number): Promise<void> {
  if (isReady(redis)) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
