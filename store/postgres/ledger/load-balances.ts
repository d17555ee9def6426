// Balances of ledger accounts.
import type { Postgres } from '../client.js';

/** By account. Accounts without postings are left out. */
export async function loadBalances(
  sql: Postgres,
  accounts: readonly string[],
): Promise<Map<string, bigint>> {
  const rows = await sql<{ account: string; amount: string }[]>`
    select account, amount from balances where account = any(${[...accounts]}::text[])`;
  return new Map(rows.map((row) => [row.account, BigInt(row.amount)]));
}
