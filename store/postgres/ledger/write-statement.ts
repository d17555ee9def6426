// Writes a statement as CSV (RFC 4180): the opening balance of each account, every movement with the balance after it, and
// the closing balances. It names no rail, so merchants may read it.
import type { Postgres } from '../client.js';
import {
  type Movement,
  type OpeningBalance,
  readMovements,
  readOpenings,
  type StatementScope,
} from './read-statement.js';

const HEADER = 'at,account,amount,balance,currency,reason,object\r\n';

/** Yields whole lines. Ids, codes, digits and times need no quoting. */
export async function* writeStatement(
  sql: Postgres,
  scope: StatementScope,
): AsyncGenerator<string, undefined> {
  const openings = await readOpenings(sql, scope);
  const lines = createLineWriter(openings, scope);
  yield lines.begin();
  const accounts = openings.map(({ account }) => account);
  for await (const movements of readMovements(sql, scope, accounts)) {
    const text = lines.goOn(movements);
    if (text !== '') yield text;
  }
  yield lines.end();
  return undefined;
}

/** Writes the lines of a statement while its movements arrive. */
export function createLineWriter(
  openings: readonly OpeningBalance[],
  { fromMs, toMs }: Pick<StatementScope, 'fromMs' | 'toMs'>,
) {
  const balances = new Map(openings.map(({ account, amountMinor }) => [account, amountMinor]));
  return {
    begin: (): string => HEADER + writeBalances(balances, fromMs, 'opening_balance'),
    goOn: (movements: readonly Movement[]): string => {
      let lines = '';
      for (const { at, account, amountMinor, reason, cause } of movements) {
        const balance = (balances.get(account) ?? 0n) + amountMinor;
        balances.set(account, balance);
        const money = [amountMinor, balance, findCurrency(account)].join(',');
        lines += `${at.toISOString()},${findAccountName(account)},${money},${reason},${cause}\r\n`;
      }
      return lines;
    },
    end: (): string => writeBalances(balances, toMs, 'closing_balance'),
  };
}

function writeBalances(
  balances: ReadonlyMap<string, bigint>,
  atMs: number,
  reason: 'opening_balance' | 'closing_balance',
): string {
  const at = new Date(atMs).toISOString();
  return [...balances]
    .map(([account, balance]) => {
      return `${at},${findAccountName(account)},,${balance},${findCurrency(account)},${reason},\r\n`;
    })
    .join('');
}

const findAccountName = (account: string): string =>
  (account.split(':')[0] ?? '').replace('merchant_', '');
const findCurrency = (account: string): string => account.split(':').at(-1) ?? '';
