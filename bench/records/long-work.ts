// The work that reads very many rows at once, and the bytes that a row takes.
import { DAY_MS } from '#actors/core/days.js';
import type { Postgres } from '#store/postgres/client.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { formatCount } from '../figures/statistics.js';
import { TABLES } from './many-payments.js';

const OTHER_TABLES = ['payment_search', 'webhook_deliveries', 'webhook_attempts'];

const dayBefore = (days: number): string =>
  new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

export async function printBytes(sql: Postgres): Promise<void> {
  const rows = await sql<{ name: string; table: number; indexes: number; count: number }[]>`
    select relname as name, pg_table_size(oid)::float8 as table, pg_indexes_size(oid)::float8 as indexes,
           reltuples::float8 as count
      from pg_class where relname = any(${[...TABLES, ...OTHER_TABLES]}::text[]) and relkind = 'r' and reltuples > 0`;
  for (const { name, table, indexes, count } of rows) {
    const each = `${Math.round(table / count)} and ${Math.round(indexes / count)} bytes of indexes a row`;
    console.log(`  ${name}: ${formatCount(count)} rows, ${each}`);
  }
}

export async function tellSeconds(name: string, work: () => Promise<string>): Promise<void> {
  const beganMs = performance.now();
  const result = await work();
  console.log(`  ${name}: ${((performance.now() - beganMs) / 1_000).toFixed(1)} s, ${result}`);
}

/** Work that reads or visits very many rows, once. `token`: of a session of the merchant with most payments. */
export async function tellLongWork(sql: Postgres, port: number, token: string): Promise<void> {
  const month = `from=${dayBefore(60)}&to=${dayBefore(30)}`;
  const address = `http://127.0.0.1:${port}/v1/merchants/me/balance/statement?environment=TEST&${month}`;
  await tellSeconds('statement of 30 days, the largest merchant', async () => {
    const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
    const lines = (await answer.text()).split('\n').length;
    return `status ${answer.status}, ${formatCount(lines)} lines`;
  });
  await tellSeconds('ledger verify', async () => {
    const { postings, payments, isSound } = await verifyLedger(sql);
    return `${formatCount(payments)} payments, ${formatCount(postings)} postings, ${isSound ? 'sound' : 'NOT sound'}`;
  });
  for (const table of TABLES) {
    await tellSeconds(`vacuum of ${table}`, async () => {
      await sql`vacuum ${sql(table)}`;
      return 'nothing to remove';
    });
  }
}
