// Writes a statement as CSV (RFC 4180): the opening balance of each account, every movement with the balance after it, and
// the closing balances. It names no rail, so merchants may read it. Texts are quoted and amounts are bare, as in every CSV file
// (gateway/lists/csv-cells.ts).
import type { Postgres } from '../client.js';
import {
  type Movement,
  type OpeningBalance,
  readMovements,
  readOpenings,
  type StatementScope,
} from './read-statement.js';

const COLUMNS = ['at', 'account', 'amount', 'balance', 'currency', 'reason', 'object'];
const COMMA = ',';

/** Yields whole lines. Ids, codes and times hold no quotes. */
export async function* writeStatement(
  sql: Postgres,
  scope: StatementScope,
  separator = COMMA,
): AsyncGenerator<string, undefined> {
  const openings = await readOpenings(sql, scope);
  const lines = createLineWriter(openings, scope, separator);
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
  separator = COMMA,
) {
  const balances = new Map(openings.map(({ account, amountMinor }) => [account, amountMinor]));
  return {
    begin: (): string =>
      `${COLUMNS.join(separator)}\r\n${writeBalances(separator, balances, fromMs, 'opening_balance')}`,
    goOn: (movements: readonly Movement[]): string => {
      let lines = '';
      for (const { at, account, amountMinor, reason, cause } of movements) {
        const balance = (balances.get(account) ?? 0n) + amountMinor;
        balances.set(account, balance);
        lines += writeLine(separator, { at, account, amountMinor, balance, reason, cause });
      }
      return lines;
    },
    end: (): string => writeBalances(separator, balances, toMs, 'closing_balance'),
  };
}

function writeBalances(
  separator: string,
  balances: ReadonlyMap<string, bigint>,
  atMs: number,
  reason: 'opening_balance' | 'closing_balance',
): string {
  const at = new Date(atMs);
  return [...balances]
    .map(([account, balance]) => writeLine(separator, { at, account, balance, reason }))
    .join('');
}

interface Line extends Omit<Movement, 'amountMinor' | 'cause'> {
  readonly amountMinor?: bigint;
  readonly balance: bigint;
  readonly cause?: string;
}

function writeLine(
  separator: string,
  { at, account, amountMinor, balance, ...rest }: Line,
): string {
  const { reason, cause } = rest;
  return `${[
    ...[`"${at.toISOString()}"`, `"${findAccountName(account)}"`, amountMinor ?? '', balance],
    ...[`"${findCurrency(account)}"`, `"${reason}"`, cause === undefined ? '' : `"${cause}"`],
  ].join(separator)}\r\n`;
}

const findAccountName = (account: string): string =>
  (account.split(':')[0] ?? '').replace('merchant_', '');
const findCurrency = (account: string): string => account.split(':').at(-1) ?? '';
