// `dlq replay`: of deliveries that are named, at once; of a range, as a job that this command only watches.
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { makeReplayId } from '#actors/core/ids.js';
import type { DoneBy } from '#store/postgres/webhooks/dead-letters/audit-values.js';
import type { Postgres } from '#store/postgres/client.js';
import { replayDeadLetters } from '#store/postgres/webhooks/dead-letters/replay-dead-letters.js';
import {
  countReplayable,
  findReplay,
  type ReplayJob,
  startReplay,
} from '#store/postgres/webhooks/dead-letters/replay-jobs.js';
import { findDelivery } from '#store/postgres/webhooks/list-deliveries.js';
import type { Order } from './order.js';
import { print, printJson, showProgress } from './print.js';

const LOOK_EVERY_MS = 500;

export function replay(sql: Postgres, order: Order, by: DoneBy): Promise<number> {
  return order.isAll ? replayRange(sql, order, by) : replayNamed(sql, order, by);
}

async function replayNamed(
  sql: Postgres,
  { ids, isDryRun, isJson }: Order,
  by: DoneBy,
): Promise<number> {
  const outcomes = new Map<string, string>(
    isDryRun
      ? (await findDead(sql, ids)).map((id) => [id, 'would be replayed'])
      : (await replayDeadLetters(sql, { ids, merchantId: null }, by)).map(
          ({ id, outcome }) => [id, outcome] as const,
        ),
  );
  let failures = 0;
  for (const id of ids) {
    const outcome = outcomes.get(id) ?? 'no dead letter';
    if (outcome === 'inactive' || !outcomes.has(id)) failures += 1;
    if (isJson) printJson({ id, outcome });
    else print(`${id}  ${outcome}`);
  }
  return failures === 0 ? 0 : 1;
}

/** Those of `ids` that are dead. */
export async function findDead(sql: Postgres, ids: readonly string[]): Promise<string[]> {
  const dead: string[] = [];
  for (const id of ids) {
    const found = await findDelivery(sql, { id, merchantId: null });
    if (found?.status === 'dead') dead.push(id);
  }
  return dead;
}

async function replayRange(
  sql: Postgres,
  { scope, withPending, isDryRun, isJson }: Order,
  by: DoneBy,
): Promise<number> {
  const wish = { ...scope, withPending };
  if (isDryRun) {
    const count = await countReplayable(sql, wish);
    if (isJson) printJson({ count, dryRun: true });
    else print(`${count} would be replayed`);
    return 0;
  }
  const job = await startReplay(sql, makeReplayId(randomBytes(16)), wish, by);
  if (job === 'replay_running') {
    print('a replay of the same merchant (or of all) is not complete yet');
    return 1;
  }
  const ended = await watch(sql, job);
  if (isJson) printJson(ended);
  else print(`${ended.id}: ${ended.done} of ${ended.total} replayed, ${ended.failed} could not be`);
  return ended.failed === 0 ? 0 : 1;
}

async function watch(sql: Postgres, started: ReplayJob): Promise<ReplayJob> {
  let job = started;
  while (job.status === 'running') {
    showProgress(job.done + job.failed, job.total, false);
    await setTimeout(LOOK_EVERY_MS);
    job = (await findReplay(sql, { id: job.id, merchantId: null })) ?? job;
  }
  showProgress(job.done + job.failed, job.total, true);
  return job;
}
