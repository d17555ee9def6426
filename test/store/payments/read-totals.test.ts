// Totals of payments are read by the hours and days of a time zone, and the pending payments beside them.
import t from 'tap';
import type { MerchantId } from '#actors/core/ids.js';
import { openPostgres } from '#store/postgres/client.js';
import {
  type Calendar,
  listStarts,
  readTotals,
  sumPending,
  type TotalsFilter,
} from '#store/postgres/payments/read-totals.js';
import { makeMerchant } from '#test/support/accounts.js';
import { createDatabase, fillTables } from '#test/support/servers.js';

const sql = openPostgres(await createDatabase(t), 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));

const AUGUST: Calendar = {
  from: new Date('2026-08-01T00:00:00Z'),
  to: new Date('2026-08-04T00:00:00Z'),
  interval: 'day',
  timeZone: 'Asia/Jakarta',
};

async function buildFilter(id: MerchantId, calendar = AUGUST): Promise<TotalsFilter> {
  const starts = (await listStarts(sql, calendar)) ?? [];
  return { merchantId: id, environment: 'TEST', currency: 'IDR', starts, to: calendar.to };
}

t.test('days and hours are listed in the time zone, also where a day has 25 hours', async (t) => {
  const list = async (change: Partial<Calendar>) =>
    (await listStarts(sql, { ...AUGUST, ...change }))?.map((start) => start.toISOString());
  const days = ['2026-07-31', '2026-08-01', '2026-08-02', '2026-08-03'];
  t.same(
    await list({}),
    days.map((day) => `${day}T17:00:00.000Z`),
  );
  const autumn = {
    ...{ from: new Date('2026-10-24T22:00:00Z'), to: new Date('2026-10-25T23:00:00Z') },
    timeZone: 'Europe/Berlin',
  };
  t.equal((await list(autumn))?.length, 1);
  t.equal((await list({ ...autumn, interval: 'hour' }))?.length, 25);
  const quarter = await list({ timeZone: 'Asia/Kathmandu', to: new Date('2026-08-01T00:01:00Z') });
  t.same(quarter, ['2026-07-31T18:15:00.000Z'], 'an offset of 5:45');
  t.equal(await listStarts(sql, { ...AUGUST, timeZone: 'Asia/Nowhere' }), null);
  t.equal(await listStarts(sql, { ...AUGUST, timeZone: 'Asia/Nowhere', interval: 'hour' }), null);
});

t.test('a quarter of an hour counts in its day, in each time zone', async (t) => {
  const of = await makeMerchant(sql);
  for (const quarter of ['16:45', '17:00', '18:00', '18:15']) {
    await sql`
      insert into payment_totals (merchant_id, environment, quarter, outcome, currency, events, amount)
      values (${of}, 'TEST', ${`2026-08-01T${quarter}:00Z`}, 'paid', 'IDR', 1, 1000)`;
  }
  const count = async (timeZone: string) => {
    const found = await readTotals(sql, await buildFilter(of, { ...AUGUST, timeZone }));
    return found.map(({ place, events }) => [place, events]).sort();
  };
  t.same(await count('Asia/Jakarta'), [
    [0, 1],
    [1, 3],
  ]);
  t.same(await count('Asia/Kathmandu'), [
    [0, 3],
    [1, 1],
  ]);
  t.same(await count('UTC'), [[0, 4]]);
});

t.test('pending payments count at their creation, and held money does not count', async (t) => {
  const of = await makeMerchant(sql);
  const rows = [
    ['pending', '2026-07-30T00:00:00Z'],
    ['pending', '2026-08-01T18:00:00Z'],
    ['creating', '2026-08-01T18:00:00Z'],
    ['paid', '2026-08-01T18:00:00Z'],
    ['pending', '2026-08-09T18:00:00Z'],
  ] as const;
  for (const [index, [status, at]] of rows.entries()) {
    await sql`
      insert into payments (id, merchant_id, environment, status, amount, currency, created_at, due_at, version, snapshot)
      values (${`pay_p${index}`}, ${of}, 'TEST', ${status}, 100, 'IDR', ${at}, ${at}, 1, '{}')`;
  }
  const { totals, isComplete } = await sumPending(sql, await buildFilter(of));
  t.same(
    totals.toSorted((a, b) => Number(a.place) - Number(b.place)),
    [
      { place: null, payments: 2, amount: '200' },
      { place: 1, payments: 2, amount: '200' },
    ],
  );
  t.ok(isComplete);
});

t.test('with many payments, each query reads a bounded part of an index', async (t) => {
  const of = await makeMerchant(sql);
  await fillTables(sql, async (tx) => {
    await tx`
      insert into payments (id, merchant_id, environment, status, amount, currency, created_at, due_at, version, snapshot)
      select 'pay_x' || lpad(n::text, 25, '0'), ${of}, 'TEST',
             case when n % 3 = 0 then 'pending' else 'paid' end, 1000, 'IDR',
             '2026-08-01'::timestamptz + n * interval '2 seconds',
             case when n % 3 = 0 then '2026-09-01'::timestamptz + n * interval '1 second' end, 2, ''
        from generate_series(1, 75000) n`;
    await tx`
      insert into payment_totals (merchant_id, environment, quarter, outcome, currency, events, amount)
      select ${of}, 'TEST', '2025-09-01'::timestamptz + n * interval '15 minutes', o, 'IDR', 20, 20000
        from generate_series(0, 366 * 96 - 1) n, unnest(array['paid', 'failed', 'cancelled']) o`;
  });
  const countReads = async (table: string): Promise<number> => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await sql<{ rows: string }[]>`
      select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables
       where relname = ${table}`;
    return Number(row?.rows);
  };
  const year = { ...AUGUST, from: new Date('2025-09-01'), to: new Date('2026-09-01T12:00:00Z') };
  const filter = await buildFilter(of, year);
  const before = await countReads('payments');
  const { totals, isComplete } = await sumPending(sql, filter);
  t.equal(isComplete, false);
  t.equal(
    totals.reduce((sum, { payments }) => sum + payments, 0),
    20_000,
  );
  t.ok((await countReads('payments')) - before <= 20_000, 'not all 25,000 that are pending');
  t.equal((await readTotals(sql, filter)).length, 3 * 366);
  const day = { ...AUGUST, from: new Date('2026-08-01'), to: new Date('2026-08-02') };
  const ofDay = await buildFilter(of, day);
  const beforeTotals = await countReads('payment_totals');
  await readTotals(sql, ofDay);
  t.ok((await countReads('payment_totals')) - beforeTotals < 1_000, 'only those of the days');
});
