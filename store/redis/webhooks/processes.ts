// The webhooks processes that are alive, as each of them notes it. They divide the partitions among themselves by it.
import { readTime, type RedisClient } from '../client.js';
import { WEBHOOK_PROCESSES_KEY } from '../keys.js';
import { loadScript, runScript } from '../scripts.js';

const JOIN = loadScript('join', 'clock');

/** Notes that this process is alive; returns the names of all that noted it within `aliveMs`. */
export async function joinProcesses(
  redis: RedisClient,
  name: string,
  aliveMs: number,
): Promise<string[]> {
  return (await runScript(redis, JOIN, [WEBHOOK_PROCESSES_KEY], [name, aliveMs])) as string[];
}

export async function leaveProcesses(redis: RedisClient, name: string): Promise<void> {
  await redis.zrem(WEBHOOK_PROCESSES_KEY, name);
}

/** They note themselves every second. Those that died stay in the set until another one notes itself. */
const SEEN_WITHIN_MS = 5_000;

/** How many were alive a moment ago, by Redis' clock. */
export async function countAliveProcesses(redis: RedisClient): Promise<number> {
  const oldestMs = Math.floor(await readTime(redis)) - SEEN_WITHIN_MS;
  return (await redis.zrange(WEBHOOK_PROCESSES_KEY, oldestMs, '+inf', 'BYSCORE')).length;
}
