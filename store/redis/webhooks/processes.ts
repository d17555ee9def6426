// The webhooks processes that are alive, as each of them notes it. They divide the partitions among themselves by it.
import type { RedisClient } from '../client.js';
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
