// The group of the webhooks processes: made and mended, left, and kept free of those that died.
import type { RedisClient } from '../client.js';
import { buildHeldKey, buildReadyKey, RECONCILER_KEY } from '../keys.js';
import { loadScript, runScripts, type ScriptCall } from '../scripts.js';
import { GROUP, PARTITIONS } from './delivery-partitions.js';

const REPAIR = loadScript('mend');
const LEAVE = loadScript('leave');
const DROP = loadScript('drop-consumers');

const buildCalls = (words: readonly (string | number)[]): ScriptCall[] =>
  PARTITIONS.map((partition) => ({ keys: [buildReadyKey(partition)], words }));

const sumAnswers = (answers: readonly unknown[]): number =>
  answers.reduce<number>((sum, answer) => sum + Number(answer), 0);

/** Makes groups and sets right; answers how many partitions had lost something (or were new). */
export async function repairDeliveries(redis: RedisClient): Promise<number> {
  const calls = PARTITIONS.map((partition) => ({
    keys: [buildReadyKey(partition), buildHeldKey(partition)],
    words: [GROUP],
  }));
  return sumAnswers(await runScripts(redis, REPAIR, calls));
}

/** Leaves the group, where nothing is pending for this consumer; elsewhere it stays, to be taken over. */
export async function leaveGroup(redis: RedisClient, consumer: string): Promise<void> {
  await runScripts(redis, LEAVE, buildCalls([GROUP, consumer]));
}

/** Removes consumers that were silent for `idleMs` and have nothing pending; answers how many. */
export async function dropConsumers(redis: RedisClient, idleMs: number): Promise<number> {
  return sumAnswers(await runScripts(redis, DROP, buildCalls([GROUP, idleMs])));
}

/** True for one process at a time, for `leaseMs`. */
export async function leadReconciling(
  redis: RedisClient,
  name: string,
  leaseMs: number,
): Promise<boolean> {
  return (await redis.set(RECONCILER_KEY, name, 'PX', leaseMs, 'NX')) === 'OK';
}
