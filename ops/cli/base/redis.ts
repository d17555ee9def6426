// The Redis that a command works on.
import { isOneServer } from '#ops/runtime/addresses/redis-address.js';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import { isReady, openRedis, type RedisClient } from '#store/redis/client.js';
import { findRedisUrl } from './database.js';
import { describeError } from './output.js';

const CONNECT_MS = 4_000;

/** Connects, runs `work` and disconnects. */
export async function withRedis<Result>(
  work: (redis: RedisClient) => Promise<Result>,
  url = findRedisUrl(),
): Promise<Result> {
  let reason = 'it gives no answer';
  let giveUp: () => void = () => undefined;
  const failed = new Promise<void>((resolve) => (giveUp = resolve));
  const redis = openRedis(url, (error) => {
    reason = describeError(error);
    // The first of several may be away.
    if (isOneServer(url)) giveUp();
  });
  try {
    const ready = new Promise((resolve) => redis.once('ready', resolve));
    await runWithDeadline(Promise.race([ready, failed]), CONNECT_MS).catch(() => undefined);
    if (!isReady(redis)) throw new Error(`cannot connect to Redis: ${reason}; check REDIS_URL`);
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}
