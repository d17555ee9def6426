// `kasir dlq replay`: named deliveries at once; everything that matches the filters as a job of the webhooks processes.
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { makeReplayId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  findNamed,
  type NamedDeadLetters,
  replayDeadLetters,
} from '#store/postgres/webhooks/dead-letters/replay-dead-letters.js';
import {
  countReplayable,
  findReplay,
  type ReplayJob,
  type ReplayScope,
  startReplay,
} from '#store/postgres/webhooks/dead-letters/replay-jobs.js';
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
  const named = { ids, merchantId: null };
  const outcomes = options.dryRun
    ? await previewNamed(sql, named)
    : await replayDeadLetters(sql, named, identifyOperator());
  printOutcomes(ids, new Map(outcomes.map(({ id, outcome }) => [id, outcome])), options);
}

async function previewNamed(sql: Postgres, named: NamedDeadLetters) {
  const letters = await findNamed(sql, named);
  return letters.map(({ id, isActive }) => {
    return { id, outcome: isActive ? 'would be replayed' : 'inactive' };
  });
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
      'another replay --all with the same --merchant is still running; wait for its end ' +
        '(it gives up an endpoint that fails for an hour), or name up to 1,000 deliveries by their ids',
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
