// A statement as CSV (RFC 4180): the opening balance of each account, every movement with the balance after it,
// and the closing balances. No rail is named in it, so that merchants may have it.
import type { Postgres } from '../client.js';
import { readMovements, readOpenings, type StatementScope } from './read-statement.js';

const HEADER = 'at,account,amount,balance,currency,reason,object\r\n';

/** Chunks of whole lines. Nothing in them needs quoting: ids, codes, digits and times. */
export async function* writeStatement(
  sql: Postgres,
  scope: StatementScope,
): AsyncGenerator<string, undefined> {
  const openings = await readOpenings(sql, scope);
  const balances = new Map(openings.map(({ account, amountMinor }) => [account, amountMinor]));
  yield HEADER + writeBalances(balances, scope.fromMs, 'opening_balance');
  for await (const movements of readMovements(sql, scope, [...balances.keys()])) {
    let lines = '';
    for (const { at, account, amountMinor, reason, cause } of movements) {
      const balance = (balances.get(account) ?? 0n) + amountMinor;
      balances.set(account, balance);
      const parts = [at.toISOString(), nameOf(account), amountMinor, balance, currencyOf(account)];
      lines += `${parts.join(',')},${reason},${cause}\r\n`;
    }
    if (lines !== '') yield lines;
  }
  yield writeBalances(balances, scope.toMs, 'closing_balance');
  return undefined;
}

function writeBalances(
  balances: ReadonlyMap<string, bigint>,
  atMs: number,
  reason: 'opening_balance' | 'closing_balance',
): string {
  const at = new Date(atMs).toISOString();
  return [...balances]
    .map(([account, balance]) => {
      return `${at},${nameOf(account)},,${balance},${currencyOf(account)},${reason},\r\n`;
    })
    .join('');
}

const nameOf = (account: string): string => (account.split(':')[0] ?? '').replace('merchant_', '');
const currencyOf = (account: string): string => account.split(':').at(-1) ?? '';
