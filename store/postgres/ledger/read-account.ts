// The statement of any account, for operators: a rail's clearing, fees, suspense. It reads all postings once, in one
// read-only transaction, since the rail's side of a posting is in no index (store/postgres/schema/0005_ledger.sql).
import type { Postgres } from '../client.js';
import { readConsistently } from '../consistent-reads.js';
import type { Movement, OpeningBalance } from './read-statement.js';

const MOVEMENTS_A_READ = 1_000;

export interface AccountScope {
  /** The whole key, such as `rail_clearing:midtrans:LIVE:IDR`. */
  readonly account: string;
  /** Included. */
  readonly fromMs: number;
  /** Not included. */
  readonly toMs: number;
}

/** Calls `on.opening` (with an empty list when the account does not exist), then `on.movements` for each page. */
export async function readAccount(
  sql: Postgres,
  { account, fromMs, toMs }: AccountScope,
  on: {
    readonly opening: (openings: readonly OpeningBalance[]) => void | Promise<void>;
    readonly movements: (movements: readonly Movement[]) => void | Promise<void>;
  },
): Promise<void> {
  const [from, to] = [new Date(fromMs), new Date(toMs)];
  await readConsistently(sql, async (reading) => {
    await reading`set local statement_timeout = 0`;
    const openings = await reading<{ amount: string }[]>`
      select coalesce((select sum(case when credit = ${account} then amount else -amount end)
                         from postings
                        where (credit = ${account} or debit = ${account}) and at < ${from}), 0)::text
             as amount from balances where account = ${account}`;
    await on.opening(openings.map(({ amount }) => ({ account, amountMinor: BigInt(amount) })));
    const pages = reading<{ at: Date; amount: string; reason: string; cause: string }[]>`
      select at, (case when credit = ${account} then amount else -amount end)::text as amount,
             reason, cause_id as cause
        from postings
       where (credit = ${account} or debit = ${account}) and at >= ${from} and at < ${to}
       order by at, cause_id, version, index`.cursor(MOVEMENTS_A_READ);
    for await (const rows of pages) {
      await on.movements(
        rows.map(({ amount, ...row }) => ({ ...row, account, amountMinor: BigInt(amount) })),
      );
    }
  });
}
