// The balances of merchants' accounts at the begin of a month (UTC), from which statements count.
import { MERCHANT_ACCOUNTS } from '#actors/core/ledger/accounts.js';
import type { Postgres } from '../client.js';
import { countBack } from './read-statement.js';

/** Commits that began before the end of a month have ended by then. */
const SETTLED_AFTER_MS = 3_600_000;

/** The begin of the latest month whose postings before it are complete. */
export function findCheckpointMs(nowMs: number): number {
  const settled = new Date(nowMs - SETTLED_AFTER_MS);
  return Date.UTC(settled.getUTCFullYear(), settled.getUTCMonth(), 1);
}

/**
 * Writes the balances of up to `limit` accounts at `atMs` that have none, counted back from now, and returns how many. A
 * repeat, or another process beside this one, writes nothing twice.
 */
export async function writeCheckpoints(
  sql: Postgres,
  atMs: number,
  limit: number,
): Promise<number> {
  const at = new Date(atMs);
  const patterns = MERCHANT_ACCOUNTS.map((name) => `${name.replaceAll('_', '\\_')}:%`);
  return sql.begin(async (tx) => {
    // One account may have millions of movements in a month.
    await tx`set local statement_timeout = 0`;
    const rows = await tx`
      with missing as materialized (
        select b.account, b.amount, 'infinity'::timestamptz as until from balances b
         where b.account like any(${patterns}::text[])
           and not exists (select from balance_checkpoints c where c.account = b.account and c.at = ${at})
         order by b.account limit ${limit})
      insert into balance_checkpoints (account, at, amount)
      select a.account, ${at}, ${countBack(tx as unknown as Postgres, at)}
        from missing a
      on conflict do nothing
      returning 1`;
    return rows.length;
  });
}
