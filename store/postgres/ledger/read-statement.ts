// The statement of a merchant's accounts: the opening balances of a period and every movement within it, in pages.
// Postings are append-only, so pages need no common transaction. A closed period should end a few seconds ago, since
// commits under way may still add postings.
import type { Environment, MerchantId } from '#actors/core/ids.js';
import { MERCHANT_ACCOUNTS } from '#actors/core/ledger/accounts.js';
import type { Postgres } from '../client.js';

const MOVEMENTS_A_READ = 1_000;

export interface StatementScope {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  /** Included. */
  readonly fromMs: number;
  /** Not included. */
  readonly toMs: number;
}

/** The balance of an account at the begin of the period. */
export interface OpeningBalance {
  readonly account: string;
  readonly amountMinor: bigint;
}

export interface Movement {
  readonly at: Date;
  readonly account: string;
  /** Negative: taken from the account. */
  readonly amountMinor: bigint;
  readonly reason: string;
  /** The id of the payment, payout, task or booking that caused it. */
  readonly cause: string;
}

/**
 * Reads every account of the merchant that has postings, in the order of their keys. The balance is counted back from the
 * first checkpoint after the begin, or from now.
 */
export async function readOpenings(
  sql: Postgres,
  { merchantId, environment, fromMs }: StatementScope,
): Promise<OpeningBalance[]> {
  const from = new Date(fromMs);
  const patterns = MERCHANT_ACCOUNTS.map(
    (name) =>
      `${name.replaceAll('_', '\\_')}:${merchantId.replaceAll('_', '\\_')}:${environment}:%`,
  );
  const rows = await sql<{ account: string; amount: string }[]>`
    with accounts as materialized (
      select b.account, coalesce(c.amount, b.amount) as amount, coalesce(c.at, 'infinity') as until
        from balances b left join lateral (
          select at, amount from balance_checkpoints
           where account = b.account and at >= ${from} order by at limit 1) c on true
       where b.account like any(${patterns}::text[]))
    select a.account, (${countBack(sql, from)})::text as amount
      from accounts a order by a.account`;
  return rows.map(({ account, amount }) => ({ account, amountMinor: BigInt(amount) }));
}

/** The balance of `a` (account, its amount at `until`) at `from`, which is earlier. */
export function countBack(sql: Postgres, from: Date) {
  return sql`
    a.amount
        - coalesce((select sum(amount) from postings
                     where credit = a.account and credit not like 'rail\\_clearing:%'
                       and at >= ${from} and at < a.until), 0)
        + coalesce((select sum(amount) from postings
                     where debit = a.account and debit not like 'rail\\_clearing:%'
                       and at >= ${from} and at < a.until), 0)`;
}

interface Row {
  readonly at: Date;
  /** `at` with microseconds, which a Date does not hold; as text, since the driver reads a timestamptz as a Date. */
  readonly atText: string;
  readonly account: string;
  readonly amount: string;
  readonly reason: string;
  readonly cause: string;
  readonly version: number;
  readonly index: number;
}

/** Oldest first, in pages. A page reads at most its own size from each account. */
export async function* readMovements(
  sql: Postgres,
  { fromMs, toMs }: StatementScope,
  accounts: readonly string[],
): AsyncGenerator<readonly Movement[]> {
  const to = new Date(toMs);
  let after: Row | undefined;
  do {
    const from: string = after?.atText ?? new Date(fromMs).toISOString();
    const within = sql`at >= ${from}::text::timestamptz and at < ${to}`;
    const rows: Row[] = await sql<Row[]>`
      select at, at::text as "atText", account, amount::text as amount, reason, cause, version, index
        from unnest(${[...accounts]}::text[]) as a (account) cross join lateral (
          (select at, amount, reason, cause_id as cause, version, index from postings
            where credit = a.account and credit not like 'rail\\_clearing:%' and ${within}
                  ${filterBehind(sql, after)}
            order by at, cause_id, version, index limit ${MOVEMENTS_A_READ})
          union all
          (select at, -amount, reason, cause_id, version, index from postings
            where debit = a.account and debit not like 'rail\\_clearing:%' and ${within}
                  ${filterBehind(sql, after)}
            order by at, cause_id, version, index limit ${MOVEMENTS_A_READ})) as moved
       order by at, cause, version, index, account limit ${MOVEMENTS_A_READ}`;
    yield rows.map((row) => ({ ...row, amountMinor: BigInt(row.amount) }));
    after = rows.length < MOVEMENTS_A_READ ? undefined : rows.at(-1);
  } while (after !== undefined);
}

function filterBehind(sql: Postgres, after: Row | undefined) {
  if (after === undefined) return sql``;
  const { atText, cause, version, index, account } = after;
  return sql`
    and (at, cause_id, version, index, a.account)
      > (${atText}::text::timestamptz, ${cause}, ${version}, ${index}, ${account})`;
}
