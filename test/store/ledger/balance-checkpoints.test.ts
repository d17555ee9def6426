// Checkpoints: statements with and without them agree, and a checkpoint bounds the postings that a statement reads.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { openPostgres } from '#store/postgres/client.js';
import { findCheckpointMs, writeCheckpoints } from '#store/postgres/ledger/balance-checkpoints.js';
import { readOpenings } from '#store/postgres/ledger/read-statement.js';
import { createDatabase } from '#test/support/servers.js';

const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 4);
t.teardown(() => sql.end({ timeout: 1 }));
const merchantId = makeId('mer', randomBytes(16));
const account = `merchant_available:${merchantId}:TEST:IDR`;
const CLEARING = 'rail_clearing:sandbox:TEST:IDR';
const MONTHS = ['2026-07-01', '2026-08-01', '2026-09-01', '2026-10-01'];

async function post(n: number, amount: number, at: string): Promise<void> {
  const cause = `pay_${String(n).padStart(26, '0')}`;
  const [debit, credit] = amount > 0 ? [CLEARING, account] : [account, CLEARING];
  await sql`select post('payment', ${cause}, 1, ${debit}, ${credit}, ${Math.abs(amount)}, 'IDR', 'payment_paid')`;
  await sql`update postings set at = ${at}::timestamptz where cause_id = ${cause}`;
}

async function readOpening(from: string): Promise<string> {
  const fromMs = Date.parse(from);
  const scope = { merchantId, environment: 'TEST', fromMs, toMs: fromMs + 1 } as const;
  const [opening] = await readOpenings(sql, scope);
  return `${from} ${opening?.amountMinor}`;
}

await post(1, 100, '2026-07-15T00:00:00Z');
await post(2, 20, '2026-08-01T00:00:00Z');
await post(3, -7, '2026-08-31T23:59:59.999Z');
await post(4, 5, '2026-09-01T00:00:00Z');
await post(5, 1, '2026-09-10T00:00:00Z');
const TIMES = [...MONTHS, '2026-08-20', '2026-09-05', '2026-09-10T00:00:00.001Z', '2026-11-01'];

t.test('openings are the same with and without checkpoints', async (t) => {
  const before = await Promise.all(TIMES.map(readOpening));
  t.same(before.slice(0, 4), [
    '2026-07-01 0',
    '2026-08-01 100',
    '2026-09-01 113',
    '2026-10-01 119',
  ]);
  for (const month of MONTHS) {
    const atMs = Date.parse(month);
    const written = await Promise.all([1, 2, 3].map(() => writeCheckpoints(sql, atMs, 100)));
    t.equal(Math.max(...written), 1, 'one account');
    t.equal(await writeCheckpoints(sql, atMs, 100), 0, 'a repeat writes nothing');
  }
  t.same(await Promise.all(TIMES.map(readOpening)), before);
  const [row] = await sql<{ written: number }[]>`
    select count(*)::integer as written from balance_checkpoints`;
  t.equal(row?.written, MONTHS.length, 'none for the clearing account of a rail');
});

t.test('a statement with a checkpoint reads the postings of its own month only', async (t) => {
  await sql`delete from postings where at >= '2026-09-01'`;
  t.equal(await readOpening('2026-08-20'), '2026-08-20 120');
});

t.test('the checkpoint of a month is due an hour after it began', (t) => {
  const due = (now: string) => new Date(findCheckpointMs(Date.parse(now))).toISOString();
  t.equal(due('2026-09-01T00:59:59Z'), '2026-08-01T00:00:00.000Z');
  t.equal(due('2026-09-01T01:00:00Z'), '2026-09-01T00:00:00.000Z');
  t.equal(due('2027-01-01T02:00:00Z'), '2027-01-01T00:00:00.000Z');
  t.end();
});
