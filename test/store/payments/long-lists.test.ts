// Rare rows of a long list are found over several pages, each of which scans a limited number of rows.
import t from 'tap';
import { makeId, parsePaymentId, type PaymentId } from '#actors/core/ids.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { createMerchant } from '#store/postgres/merchants/create-merchant.js';
import { listEvents } from '#store/postgres/payments/list-events.js';
import { listPayments } from '#store/postgres/payments/list-payments.js';
import { listRefunds } from '#store/postgres/payments/list-refunds.js';
import { listTransactions } from '#store/postgres/payments/list-transactions.js';
import type { FoundRows, Page, PagePlace } from '#store/postgres/page.js';
import { MAX_SUMMED, summarizePayments } from '#store/postgres/payments/summarize-payments.js';
import { createDatabase, fillTables } from '#test/support/servers.js';

const ROWS = 130_000;
const PAGES = Math.ceil(ROWS / 100_000);
const merchantId = makeId('mer', Buffer.alloc(16, 1));
const sql = openPostgres(await createDatabase(t), 'test', 2);
t.teardown(() => sql.end());

// One payment per second. The oldest, and one in the middle, are the rare ones.
await fillTables(sql, async (tx) => {
  await tx`
    insert into payments (id, merchant_id, environment, status, amount, currency, payment_method,
                          reference_id, created_at, version, snapshot)
    select 'pay_' || lpad(i::text, 26, '0'), ${merchantId}, 'TEST',
           case when i in (1, 20000) then 'pending' else 'paid' end, 15000, 'IDR',
           case when i in (1, 20000) then 'VA_BNI' else 'QRIS' end,
           case when i in (1, 20000) then 'rare' end,
           '2026-01-01'::timestamptz + i * interval '1 second', 1, ''
      from generate_series(1, ${ROWS}::integer) as i`;
  await tx`
    insert into payment_events (partition, position_ms, position_seq, index, payment_id, version, type, at,
                                event, merchant_id, environment, envelope)
    select 0, extract(epoch from created_at), 0, 0, id, 1,
           case when status = 'pending' then 'refund_succeeded' else 'payment_paid' end, created_at,
           '{}', merchant_id, environment,
           '{"id":"evt_1","type":"payment.paid","created_at":"2026-01-01T00:00:00.000Z","data":{}}'
      from payments`;
  await tx`
    insert into refunds (id, payment_id, merchant_id, environment, status, created_at)
    select 'ref_' || substr(id, 5), id, merchant_id, environment,
           case when status = 'pending' then 'failed' else 'succeeded' end, created_at
      from payments`;
  await tx`analyze`;
});

const owner = { merchantId, environment: 'TEST' } as const;
const all = {
  ...owner,
  status: null,
  referenceId: null,
  paymentMethod: null,
  amountFrom: null,
  amountTo: null,
  customer: null,
  search: null,
  createdFromMs: null,
  createdToMs: null,
};

const ALL_TRANSACTIONS = {
  ...{ merchantId: null, environment: null, status: null, paymentId: null, referenceId: null },
  ...{ rail: null, orderId: null, railTransactionId: null, createdFromMs: null, createdToMs: null },
};

/** The numbers of the rows that are found, and the number of pages. */
async function readAll<Row extends PagePlace>(
  list: (page: Page) => Promise<FoundRows<Row>>,
): Promise<{ found: number[]; pages: number }> {
  const found: number[] = [];
  let after: PagePlace | null = null;
  for (let pages = 1; pages < 20; pages += 1) {
    const { rows, stoppedAt }: FoundRows<Row> = await list({ limit: 1, after });
    const shown = rows.slice(0, 1);
    found.push(...shown.map(({ atMs }) => (atMs - Date.UTC(2026, 0, 1)) / 1000));
    const next: PagePlace | null = rows.length > 1 ? (shown.at(-1) ?? null) : stoppedAt;
    if (next === null) return { found, pages };
    after = next;
  }
  throw new Error('the list has no end');
}

const RARE = [20_000, 1];

t.test('rare payments are found on every scanned page', async (t) => {
  const read = (changes: Partial<Parameters<typeof listPayments>[1]>) =>
    readAll((page) => listPayments(sql, { ...all, ...changes }, page));
  for (const changes of [{ status: 'pending' }, { paymentMethod: 'VA_BNI' }] as const) {
    const { found, pages } = await read(changes);
    t.strictSame(found, RARE);
    t.ok(pages >= PAGES && pages <= PAGES + 1, `${pages} pages`);
  }
  t.strictSame(await read({ referenceId: 'rare', paymentMethod: 'VA_BNI' }), {
    found: RARE,
    pages: 2,
  });
  const fromMs = Date.UTC(2026, 0, 1) + 100_000_000;
  t.strictSame(await read({ createdFromMs: fromMs, status: 'pending' }), { found: [], pages: 1 });
  t.strictSame(await read({ status: 'cancelled' }), { found: [], pages: 1 }, 'found by an index');
});

t.test('rare events are found on every scanned page', async (t) => {
  const type = 'payment.refunded';
  const { found, pages } = await readAll((page) => listEvents(sql, { ...owner, type }, page));
  t.strictSame(found, RARE);
  t.ok(pages >= PAGES && pages <= PAGES + 1, `${pages} pages`);
});

t.test('rare refunds are found on every scanned page', async (t) => {
  const statuses = ['failed'] as const;
  const filter = { ...owner, paymentId: null, statuses };
  const { found, pages } = await readAll((page) => listRefunds(sql, filter, page));
  t.strictSame(found, RARE);
  t.ok(pages >= PAGES && pages <= PAGES + 1, `${pages} pages`);
  const paymentId = parsePaymentId(`pay_${'20000'.padStart(26, '0')}`) as PaymentId;
  const ofPayment = await readAll((page) => listRefunds(sql, { ...filter, paymentId }, page));
  t.strictSame(ofPayment, { found: [20_000], pages: 1 });
});

t.test('the scan of a page stops at its limit and sorts nothing', async (t) => {
  const plans = await sql<{ 'QUERY PLAN': string }[]>`
    explain (analyze, timing off, costs off)
    select id from (
      select id, created_at, status from payments
       where merchant_id = ${merchantId} and environment = 'TEST'
       order by created_at desc, id desc limit 100000) as scanned
     where status in ('creating', 'pending') order by created_at desc, id desc limit 1`;
  const text = plans.map((row) => row['QUERY PLAN']).join('\n');
  t.match(text, /Index Scan Backward using payments_by_merchant on payments \(actual rows=100000/);
  t.notMatch(text, /Sort/);
});

/** Rows of payments that this connection has read since its counters were last told. */
async function countRead(within: Postgres): Promise<number> {
  const [row] = await within<{ rows: string }[]>`
    select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_user_tables
     where relname = 'payments'`;
  return Number(row?.rows);
}

t.test('a list by status passes no newer payments of other statuses', async (t) => {
  await sql`
    insert into payments (id, merchant_id, environment, status, amount, currency, payment_method,
                          created_at, version, snapshot)
    select 'pay_n' || lpad(i::text, 25, '0'), ${merchantId}, 'TEST', 'pending', 15000, 'IDR', 'QRIS',
           '2026-02-01'::timestamptz + i * interval '1 ms', 1, '{}'
      from generate_series(1, 20000) as i`;
  await createMerchant(sql, merchantId, 'Toko');
  // An empty snapshot is the place where a list of transactions stops.
  await sql`update payments set snapshot = '{}' where created_at > '2026-01-02 12:00'::timestamptz`;
  await sql`analyze payments`;
  const lists = {
    payments: (within: Postgres, page: Page) =>
      listPayments(within, { ...all, status: 'paid' }, page),
    transactions: (within: Postgres, page: Page) =>
      listTransactions(within, { ...ALL_TRANSACTIONS, status: 'paid' }, page),
  };
  for (const [name, list] of Object.entries(lists)) {
    const { rows, read } = await sql.begin(async (transaction) => {
      const within = transaction as unknown as Postgres;
      const before = await countRead(within);
      const first = await list(within, { limit: 10, after: null });
      const second = await list(within, { limit: 10, after: first.rows.at(9) ?? null });
      const shown = [...first.rows.slice(0, 10), ...second.rows];
      return { rows: shown, read: (await countRead(within)) - before };
    });
    const numbers = rows.map(({ atMs }) => (atMs - Date.UTC(2026, 0, 1)) / 1000);
    t.strictSame(
      numbers,
      Array.from({ length: 21 }, (_, index) => ROWS - index),
      name,
    );
    t.ok(read > 0 && read < 100, `${name}: ${read} rows`);
  }
});

t.test('figures of a long list read a bounded part of it, and say so', async (t) => {
  await sql`update payments set due_at = created_at + interval '1 day' where status = 'pending'`;
  await sql`analyze payments`;
  const read = async (changes: Partial<Parameters<typeof listPayments>[1]>) => {
    const { sums, count } = await sql.begin(async (transaction) => {
      const within = transaction as unknown as Postgres;
      const before = await countRead(within);
      const found = await summarizePayments(within, { ...all, ...changes });
      return { sums: found, count: (await countRead(within)) - before };
    });
    const figures = Object.fromEntries(
      sums.map(({ status, ...sum }) => [String(status), Object.values(sum)]),
    );
    return { figures, count };
  };
  const whole = await read({});
  const most = [MAX_SUMMED, String(MAX_SUMMED * 15_000), false];
  t.strictSame(whole.figures, {
    pending: [20_000, String(20_000 * 15_000), false],
    ...{ paid: most, failed: [0, '0', true], cancelled: [0, '0', true], refunded: [0, '0', true] },
  });
  t.ok(whole.count <= 3 * MAX_SUMMED + 10, `${whole.count} payments were read`);
  const rare = await read({ referenceId: 'rare' });
  t.strictSame(rare.figures, { pending: [2, '30000', true] });
  t.ok(rare.count <= 4, `${rare.count} payments were read`);
  const old = { createdFromMs: Date.UTC(2026, 0, 1), createdToMs: Date.UTC(2026, 0, 1, 0, 1) };
  const minute = await read({ ...old, amountFrom: '15000', amountTo: '15000' });
  t.strictSame(minute.figures['paid'], [58, String(58 * 15_000), true]);
  const none = await read({ ...old, amountFrom: '15001' });
  t.strictSame(none.figures['paid'], [0, '0', true]);
});
