// Rare rows of a long list are found over several pages, each of which scans a limited number of rows.
import t from 'tap';
import { makeId, parsePaymentId, type PaymentId } from '#actors/core/ids.js';
import { openPostgres } from '#store/postgres/client.js';
import { listEvents } from '#store/postgres/payments/list-events.js';
import { listPayments } from '#store/postgres/payments/list-payments.js';
import { listRefunds } from '#store/postgres/payments/list-refunds.js';
import type { FoundRows, Page, PagePlace } from '#store/postgres/page.js';
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
  customer: null,
  search: null,
  createdFromMs: null,
  createdToMs: null,
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
