// `kasir dlq replay`: named deliveries at once; everything that matches the filters as a job of the webhooks processes.
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { makeReplayId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';
import { replayDeadLetters } from '#store/postgres/webhooks/dead-letters/replay-dead-letters.js';
import {
  countReplayable,
  findReplay,
  type ReplayJob,
  type ReplayScope,
  startReplay,
} from '#store/postgres/webhooks/dead-letters/replay-jobs.js';
import { findDelivery } from '#store/postgres/webhooks/list-deliveries.js';
import { identifyOperator } from './base/database.js';
import { type Format, markProblem, print } from './base/output.js';
import { withProgress } from './base/progress.js';
import { printOutcomes } from './dlq-print.js';

const POLL_MS = 500;

export interface ActionOptions extends Format {
  readonly dryRun?: true | undefined;
}

export async function replayNamed(
  sql: Postgres,
  ids: readonly string[],
  options: ActionOptions,
): Promise<void> {
  const outcomes = options.dryRun
    ? (await findDead(sql, ids)).map((id) => ({ id, outcome: 'would be replayed' }))
    : await replayDeadLetters(sql, { ids, merchantId: null }, identifyOperator());
  printOutcomes(ids, new Map(outcomes.map(({ id, outcome }) => [id, outcome])), options);
}

export async function findDead(sql: Postgres, ids: readonly string[]): Promise<string[]> {
  const dead: string[] = [];
  for (const id of ids) {
    const delivery = await findDelivery(sql, { id, merchantId: null });
    if (delivery?.status === 'dead') dead.push(id);
  }
  return dead;
}

export async function replayMatching(
  sql: Postgres,
  scope: ReplayScope,
  options: ActionOptions,
): Promise<void> {
  if (options.dryRun) {
    const count = await countReplayable(sql, scope);
    print({ count, dryRun: true }, options, `${count} would be replayed`);
    return;
  }
  const started = await startReplay(sql, makeReplayId(randomBytes(16)), scope, identifyOperator());
  if (started === 'replay_running') {
    throw new Error(
      'another replay --all with the same --merchant is still running; wait for its end',
    );
  }
  const job = await waitForEnd(sql, started);
  const { id, done, total, failed } = job;
  print(job, options, `${id}: ${done} of ${total} replayed, ${failed} could not be`);
  if (failed > 0) markProblem();
}

function waitForEnd(sql: Postgres, started: ReplayJob): Promise<ReplayJob> {
  return withProgress(async (tell) => {
    let job = started;
    while (job.status === 'running') {
      tell({ step: 'replayed', done: job.done + job.failed, total: job.total });
      await setTimeout(POLL_MS);
      job = (await findReplay(sql, { id: job.id, merchantId: null })) ?? job;
    }
    return job;
  });
}
