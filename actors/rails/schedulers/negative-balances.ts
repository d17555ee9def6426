// Opens an operator task for each merchant whose balance refunds and reversals took below zero. It reads the balances instead
// of following postings, so a process that dies, or a balance that another way moved, leaves no task out.
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Log } from '#ops/runtime/log.js';
import type { Postgres } from '#store/postgres/client.js';
import { followNegativeBalances } from '#store/postgres/tasks/follow-negative-balances.js';

/** A round reads the available balance of each merchant. */
const FOLLOW_EVERY_MS = 10_000;

export function startNegativeBalances({
  sql,
  log,
}: {
  readonly sql: Postgres;
  readonly log: Log;
}): Loop {
  return startLoop({
    name: 'tasks of negative balances',
    everyMs: FOLLOW_EVERY_MS,
    work: () => followNegativeBalances(sql),
    log,
  });
}
