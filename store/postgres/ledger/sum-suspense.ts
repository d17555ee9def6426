// Sums the money in all LIVE suspense accounts, by currency.
import type { Postgres } from '../client.js';

export async function sumSuspense(sql: Postgres): Promise<Map<string, number>> {
  const rows = await sql<{ currency: string; amount: number }[]>`
    select currency, sum(amount)::float8 as amount from balances
     where (account like 'suspense:%' or account like 'platform\\_suspense:%')
       and split_part(account, ':', -2) = 'LIVE'
     group by currency`;
  return new Map(rows.map(({ currency, amount }) => [currency, amount]));
}
