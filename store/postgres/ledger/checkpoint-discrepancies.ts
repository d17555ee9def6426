// Checks the balances at the begin of each month, from which statements count, against the postings before them. A posting
// that was committed more than an hour after its time may be missing in a checkpoint.
import type { Postgres } from '../client.js';

export interface WrongCheckpoint {
  readonly account: string;
  readonly fault: string;
}

/** Sums the postings by month, so that many checkpoints of an account read them once. */
export async function findWrongCheckpoints(sql: Postgres): Promise<WrongCheckpoint[]> {
  const rows = await sql<{ account: string; at: Date; amount: string; posted: string }[]>`
    with moves as (
      select debit as account, -amount as amount, at from postings
      union all select credit, amount, at from postings),
    months as materialized (
      select account, date_trunc('month', at, 'UTC') as month, sum(amount) as posted
        from moves where account in (select account from balance_checkpoints) group by 1, 2),
    checked as (
      select c.account, c.at, c.amount, coalesce(sum(m.posted), 0) as posted
        from balance_checkpoints c left join months m on m.account = c.account and m.month < c.at
       group by c.account, c.at, c.amount)
    select account, at, amount::text, posted::text from checked
     where amount <> posted or at <> date_trunc('month', at, 'UTC') order by account, at`;
  return rows.map(({ account, at, amount, posted }) => ({
    account,
    fault:
      `its checkpoint at ${at.toISOString()} is ${amount}, the postings before it make ${posted}; ` +
      'delete the row of balance_checkpoints, and statements do without it',
  }));
}
