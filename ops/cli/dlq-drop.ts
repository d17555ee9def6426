// `kasir dlq drop`. Each page of a large drop is one statement with its own row in the audit log.
import type { Postgres } from '#store/postgres/client.js';
import {
  countDead,
  listDeadLetters,
} from '#store/postgres/webhooks/dead-letters/list-dead-letters.js';
import {
  dropDeadLetters,
  findNamed,
  MAX_NAMED,
} from '#store/postgres/webhooks/dead-letters/replay-dead-letters.js';
import type { DeadLetterScope } from '#store/postgres/webhooks/dead-letters/dead-letter-scope.js';
import { print } from './base/output.js';
import { withProgress } from './base/progress.js';
import { printOutcomes } from './dlq-print.js';
import { identifyOperator } from './base/database.js';
import type { ActionOptions } from './dlq-replay.js';

export async function dropNamed(
  sql: Postgres,
  ids: readonly string[],
  options: ActionOptions,
): Promise<void> {
  const named = { ids, merchantId: null };
  const [dropped, outcome] = options.dryRun
    ? [(await findNamed(sql, named)).map(({ id }) => id), 'would be dropped']
    : [await dropDeadLetters(sql, named, identifyOperator()), 'dropped'];
  printOutcomes(ids, new Map(dropped.map((id) => [id, outcome])), options);
}

export async function dropMatching(
  sql: Postgres,
  scope: DeadLetterScope,
  options: ActionOptions,
): Promise<void> {
  const dryRun = options.dryRun ?? false;
  // A fixed end, because deliveries may die while the command runs.
  const fixed = { ...scope, to: scope.to ?? new Date() };
  const total = await countDead(sql, fixed);
  const count = dryRun ? total : await dropAll(sql, fixed, total);
  print({ count, dryRun }, options, `${count} ${dryRun ? 'would be dropped' : 'dropped'}`);
}

function dropAll(sql: Postgres, scope: DeadLetterScope, total: number): Promise<number> {
  return withProgress(async (tell) => {
    for (let done = 0; ;) {
      tell({ step: 'dropped', done, total });
      // The list returns one row more than its limit.
      const page = await listDeadLetters(sql, scope, { limit: MAX_NAMED - 1, after: null });
      if (page.length === 0) return done;
      const ids = page.map(({ id }) => id);
      done += (await dropDeadLetters(sql, { ids, merchantId: null }, identifyOperator())).length;
    }
  });
}
