// Pages of the movements of an account with many of them read few rows, wherever they are, and find each movement once, however
// many have the same time. The plans are made while the table is empty, as in a new installation.
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { openPostgres } from '#store/postgres/client.js';
import { listMovements, type MovementFilter } from '#store/postgres/ledger/list-movements.js';
import type { PagePlace } from '#store/postgres/page.js';
import { createDatabase, fillTables } from '#test/support/servers.js';

const ROWS = 130_000;
/** Movements of one time, as a batch commits them. */
const TIES = 50;
/** Rows that one page may read. */
const FEW = 300;
const LIMIT = 20;
const START = '2026-01-01T00:00:00Z';
const merchantId = makeId('mer', Buffer.alloc(16, 1));
const keyOf = (name: string): string => `${name}:${merchantId}:TEST:IDR`;
const [available, refunds] = [keyOf('merchant_available'), keyOf('refund_clearing')];

const sql = openPostgres(await createDatabase(t), 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
const all: MovementFilter = {
  accounts: [available, refunds, ...['merchant_pending', 'suspense'].map(keyOf)],
  ...{ from: null, to: null },
};
const read = (filter: MovementFilter, after: PagePlace | null) =>
  listMovements(sql, filter, { limit: LIMIT, after });
// Autovacuum would make them anew, from a table that it counts while it is filled.
await sql`alter table postings set (autovacuum_enabled = off)`;
for (let round = 0; round < 7; round += 1) await read(all, { atMs: 0, id: '0_1_0_1_pay_x' });
for (let round = 0; round < 7; round += 1) await read(all, null);

// Each tenth is a refund, which moves money between two accounts of the merchant.
await fillTables(sql, async (tx) => {
  await tx`
    insert into postings (cause_kind, cause_id, version, index, debit, credit, amount, currency, reason, at)
    select 'payment', 'pay_' || lpad(n::text, 26, '0'), 1, 0,
           case when n % 10 = 0 then ${available} else 'rail_clearing:sandbox:TEST:IDR' end,
           case when n % 10 = 0 then ${refunds} else ${available} end, n, 'IDR',
           case when n % 10 = 0 then 'refund_requested' else 'payment_paid' end,
           ${START}::text::timestamptz + (n / ${TIES}) * interval '10.000003 seconds'
      from generate_series(1, ${ROWS}::integer) as n`;
});

async function countReads(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<{ rows: string }[]>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_user_tables
     where relname = 'postings'`;
  return Number(row?.rows);
}

/** The amounts on a page, the place of its last row, and the rows that were read for it. */
async function readPage(filter: MovementFilter, after: PagePlace | null = null) {
  const before = await countReads();
  const rows = (await read(filter, after)).rows.slice(0, LIMIT);
  const amounts = rows.map(({ amount }) => Number(amount));
  return { amounts, last: rows.at(-1) ?? null, reads: (await countReads()) - before };
}

/** `count` movements up to the posting `n`, newest first: a refund is a credit, then a debit. */
const listFrom = (n: number, count = LIMIT): number[] =>
  Array.from({ length: count }, (_, back) => n - back)
    .flatMap((each) => (each % 10 === 0 ? [each, -each] : [each]))
    .slice(0, count);

t.test('a page reads few of many movements, first, in the middle, last or filtered', async (t) => {
  const first = await readPage(all);
  t.same(first.amounts, listFrom(ROWS));
  const middle = new Date(Date.parse(START) + (ROWS / 2 / TIES) * 10_000);
  const until = await readPage({ ...all, to: middle });
  const newest = until.amounts[0] ?? 0;
  t.ok(Math.abs(newest - ROWS / 2) <= TIES * 2, `${newest}`);
  const [place] = (await read({ ...all, to: middle }, null)).rows;
  const behind = await readPage(all, place);
  t.same(behind.amounts, listFrom(newest, LIMIT + 1).slice(1));
  const refunded = await readPage({ ...all, accounts: [refunds] });
  t.same(refunded.amounts[1], ROWS - 10);
  const since = await readPage({ ...all, from: new Date(Date.parse(START)) }, place);
  t.same(since.amounts, behind.amounts);
  const oldest = await readPage({ ...all, to: new Date(Date.parse(START) + 1) });
  t.same(oldest.amounts, listFrom(TIES - 1));
  for (const { reads } of [first, until, behind, refunded, since, oldest]) {
    t.ok(reads > 0 && reads < FEW, `${reads} rows`);
  }
});

t.test('each movement is on one page, whatever has the same time', async (t) => {
  const to = new Date(Date.parse(START) + 35_000);
  const found: number[] = [];
  for (let after: PagePlace | null = null, pages = 0; pages < 20; pages += 1) {
    const { amounts, last } = await readPage({ ...all, to }, after);
    found.push(...amounts);
    after = last;
    if (amounts.length < LIMIT) break;
  }
  const postings = TIES * 4 - 1;
  t.same(found, listFrom(postings, postings + Math.floor(postings / 10)));
});
