// Searches among many payments read few of them, whether the words are rare, frequent, or frequent long ago only.
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { buildSearch } from '#actors/core/payment/search-words.js';
import { openPostgres } from '#store/postgres/client.js';
import { listPayments } from '#store/postgres/payments/list-payments.js';
import type { PagePlace } from '#store/postgres/page.js';
import { createDatabase, fillTables } from '#test/support/servers.js';

const ROWS = 130_000;
const OLD = 25_000;
const RARE = ['90000', '7'];
const START_MS = Date.UTC(2026, 0, 1);
const merchantId = makeId('mer', Buffer.alloc(16, 1));
const owner = { merchantId, environment: 'TEST' } as const;
const TAG = String((buildSearch(owner, 'a') as { query: string }).query).slice(1, 7);

const sql = openPostgres(await createDatabase(t), 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));

// One payment per second. The merchant has all of them but a few of others.
await fillTables(sql, async (tx) => {
  await tx`
    insert into payments (id, merchant_id, environment, status, amount, currency, payment_method, reference_id,
                          created_at, version, snapshot)
    select 'pay_' || lpad(i::text, 26, '0'),
           case when i % 1000 = 500 then 'mer_' || i else ${merchantId} end, 'TEST',
           case when i % 100 = 50 then 'failed' when i % 2 = 0 then 'paid' else 'pending' end, 15000, 'IDR', 'QRIS', 'order-' || i,
           ${new Date(START_MS)}::timestamptz + i * interval '1 second', 1, i::text
      from generate_series(1, ${ROWS}::integer) as i`;
  await tx`
    insert into payment_search (merchant_id, environment, created_at, payment_id, terms)
    select merchant_id, environment, created_at, id,
           array_to_tsvector(array[${`${TAG}common`}, ${TAG} || 'n' || snapshot]
             || case when snapshot::int <= ${OLD} then array[${`${TAG}old`}] end
             || case when snapshot = any(${RARE}::text[]) then array[${`${TAG}rare`}] end)
      from payments`;
  await tx`analyze`;
});
// As rows are that are not new: their places are read from the index alone.
await sql`vacuum payment_search`;

const all = {
  ...{ ...owner, status: null, referenceId: null, paymentMethod: null, customer: null },
  ...{ amountFrom: null, amountTo: null },
  ...{ createdFromMs: null, createdToMs: null },
};
const LIMIT = 20;

async function search(
  text: string,
  after: PagePlace | null,
  changes: Partial<Parameters<typeof listPayments>[1]> = {},
) {
  const built = buildSearch(owner, text);
  if (typeof built === 'string') throw new Error(built);
  const filter = { ...all, search: built.query, ...changes };
  return listPayments(sql, filter, { limit: LIMIT, after });
}

async function countReads(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<{ rows: string }[]>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_user_tables
     where relname in ('payments', 'payment_search')`;
  return Number(row?.rows);
}

const listFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, n) => first - n);

/** The numbers of the payments on the first page, and the rows that were read for it. */
async function readFirst(text: string, changes: Parameters<typeof search>[2] = {}) {
  const before = await countReads();
  const { rows, stoppedAt } = await search(text, null, changes);
  const found = rows.slice(0, LIMIT).map(({ snapshot }) => Number(snapshot));
  return { found, reads: (await countReads()) - before, stoppedAt };
}

t.test('rare words are found by their index', async (t) => {
  const { found, reads } = await readFirst('rare');
  t.same(found.map(String), RARE);
  t.ok(reads < 2_100, `${reads} rows: the newest 2,000, and those found`);
  t.same((await readFirst('rare common')).found.map(String), RARE);
  t.same((await readFirst('rare', { status: 'paid' })).found, [90_000]);
  t.same((await readFirst('rare', { createdToMs: START_MS + 50_000_000 })).found, [7]);
  t.same((await readFirst('rare', { referenceId: 'order-7' })).found, [7]);
  t.same((await readFirst('nothing')).found, []);
  t.same((await readFirst('n12345')).found, [...listFrom(123_459, 10), 12_345]);
});

t.test('frequent words are found among the newest payments', async (t) => {
  const { found, reads } = await readFirst('common');
  t.equal(found.length, LIMIT);
  t.equal(found[0], ROWS);
  t.ok(reads < 2_100, `${reads} rows`);
});

t.test('frequent words are found among the payments of a rare status', async (t) => {
  const isFailed = (n: number): boolean => n % 100 === 50 && n % 1_000 !== 500;
  const failed = listFrom(ROWS, ROWS).filter(isFailed);
  const { found, reads } = await readFirst('common', { status: 'failed' });
  t.same(found, failed.slice(0, LIMIT));
  t.ok(reads < 200, `${reads} rows: those of the page`);
  const old = await readFirst('old', { status: 'failed' });
  t.same(old.found, failed.filter((n) => n <= OLD).slice(0, LIMIT));
  t.ok(old.reads < 4_000, `${old.reads} rows: the payments of the status, and their words`);
  const none = await readFirst('nothing', { status: 'failed' });
  t.same(none.found, []);
  t.equal(none.stoppedAt, null);
});

t.test('words that were frequent long ago are found after a limited scan', async (t) => {
  const { found, reads, stoppedAt } = await readFirst('old');
  t.same(found, []);
  t.ok(reads > 100_000 && reads < 260_000, `${reads} rows: a bounded number for each way`);
  const next = await search('old', stoppedAt);
  t.equal(Number(next.rows[0]?.snapshot), OLD);
  t.equal(next.rows.length, LIMIT + 1);
});

t.test('pages hold each payment once, in order', async (t) => {
  const found: number[] = [];
  let after: PagePlace | null = null;
  for (let pages = 0; pages < 200; pages += 1) {
    const { rows, stoppedAt }: Awaited<ReturnType<typeof search>> = await search('n128', after);
    found.push(...rows.slice(0, LIMIT).map(({ snapshot }) => Number(snapshot)));
    after = rows.length > LIMIT ? (rows[LIMIT - 1] ?? null) : stoppedAt;
    if (after === null) break;
  }
  const expected = listFrom(ROWS, ROWS).filter((n) => /^128/.test(String(n)) && n % 1_000 !== 500);
  t.equal(found.length, expected.length);
  t.same(found, expected);
});

t.test('a merchant with many payments is searched beside two thousand with few', async (t) => {
  // Those of all merchants lie between each other, as they came.
  await fillTables(sql, async (tx) => {
    await tx`
      create temporary table mixed on commit drop as
      select * from payment_search
      union all
      select 'mer_few' || i % 2000, 'TEST', ${new Date(START_MS)}::timestamptz + i * interval '1 second',
             'pay_few' || i, array_to_tsvector(array['few'])
        from generate_series(1, 100000) as i`;
    await tx`truncate payment_search`;
    await tx`insert into payment_search select * from mixed order by created_at, payment_id`;
    await tx`analyze payment_search`;
  });
  await sql`vacuum payment_search`;
  const frequent = await readFirst('common');
  t.equal(frequent.found[0], ROWS);
  t.ok(frequent.reads < 2_100, `${frequent.reads} rows`);
  const rare = await readFirst('rare');
  t.same(rare.found.map(String), RARE);
  t.ok(rare.reads < 2_100, `${rare.reads} rows`);
});
