// Writes the balances of all merchants' accounts once a month has begun, so that a statement reads one month of postings.
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Postgres } from '#store/postgres/client.js';
import { findCheckpointMs, writeCheckpoints } from '#store/postgres/ledger/balance-checkpoints.js';

const EVERY_MS = 3_600_000;
const ACCOUNTS_AT_ONCE = 100;

export function startBalanceCheckpoints(sql: Postgres, log: Log): Loop {
  return startLoop({
    name: 'balance checkpoints',
    everyMs: EVERY_MS,
    log,
    work: async () => {
      const written = await writeCheckpoints(sql, findCheckpointMs(Date.now()), ACCOUNTS_AT_ONCE);
      return written === ACCOUNTS_AT_ONCE ? 0 : undefined;
    },
  });
}
