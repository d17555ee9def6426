// Totals of payments: each event counts once, whatever happens between two rounds.
import t from 'tap';
import type { MerchantId } from '#actors/core/ids.js';
import { eraseEnvelope } from '#actors/core/webhooks/envelope.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { BY_KEY, openPostgres, type Postgres } from '#store/postgres/client.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { followTotals } from '#store/postgres/payments/follow-totals.js';
import {
  type Calendar,
  listStarts,
  readTotals,
  type TotalsFilter,
} from '#store/postgres/payments/read-totals.js';
import { makeMerchant } from '#test/support/accounts.js';
import { createDatabase } from '#test/support/servers.js';

const MOST = 1_000;
const PARTITIONS = [0, 1];

const url = await createDatabase(t);
const open = (purpose: string): Postgres => {
  const pool = openPostgres(url, purpose, 1, { plans: BY_KEY });
  t.teardown(() => pool.end({ timeout: 1 }));
  return pool;
};
const sql = open('test');
const another = open('test another process');
const beside = openPostgres(url, 'test beside', 2);
t.teardown(() => beside.end({ timeout: 1 }));
const merchantId = await makeMerchant(sql);
await sql`insert into partitions (id) select unnest(${PARTITIONS}::smallint[]) on conflict do nothing`;
await ensureCursors(sql);

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

/** "<start> <outcome> <events> <amount>", sorted. */
async function showTotals(id: MerchantId): Promise<string[]> {
  const filter = await buildFilter(id);
  const found = await readTotals(sql, filter);
  const lines = found.map(({ place, outcome, events, amount }) =>
    [filter.starts[place]?.toISOString().slice(0, 13), outcome, events, amount].join(' '),
  );
  return lines.sort();
}

let sequence = 0;

interface Stored {
  readonly type: string;
  readonly at?: string;
  readonly of?: MerchantId;
  readonly partition?: number;
  readonly data?: object;
  /** Null: merchants do not receive the event. */
  readonly envelope?: null;
}

/** Stores a payment of 1,000 and an event of it; returns the payment's id. */
async function store(event: Stored): Promise<string> {
  sequence += 1;
  const { type, at = '2026-08-02T03:00:00Z', of = merchantId, partition = sequence % 2 } = event;
  const id = `pay_${String(sequence).padStart(26, '0')}`;
  const shown = { id, status: 'paid', amount: '1000', currency: 'IDR' };
  const data = { ...shown, reference_id: null, metadata: {}, ...event.data };
  const envelope =
    event.envelope === null
      ? null
      : JSON.stringify({ id: 'evt_x', type: 'x', created_at: at, data });
  await sql`
    insert into payments (id, merchant_id, environment, status, amount, currency, created_at, version, snapshot)
    values (${id}, ${of}, 'TEST', 'paid', 1000, 'IDR', ${at}, 2, '{}')`;
  await sql`
    insert into payment_events (partition, position_ms, position_seq, index, payment_id, version, type, at,
                                event, merchant_id, environment, envelope)
    values (${partition}, ${sequence}, 0, 0, ${id}, 2, ${type}, ${at}, '{}', ${of}, 'TEST', ${envelope})`;
  return id;
}

const follow = async (pool = sql, partitions = PARTITIONS): Promise<number> =>
  (await followTotals(pool, partitions, MOST)).events;

t.test('each event counts once, on its day in the time zone', async (t) => {
  await store({ type: 'payment_paid', at: '2026-08-01T16:59:00Z' });
  await store({ type: 'payment_paid', at: '2026-08-01T17:01:00Z' });
  await store({ type: 'payment_failed' });
  await store({ type: 'payment_reversed' });
  await store({ type: 'payment_cancelled' });
  await store({ type: 'refund_failed' });
  t.equal(await follow(), 6);
  t.equal(await follow(), 0, 'the cursors have passed them');
  await store({ type: 'payment_paid', at: '2026-08-02T02:00:00Z' });
  t.equal(await follow(), 1);
  t.same(await showTotals(merchantId), [
    '2026-07-31T17 paid 1 1000',
    '2026-08-01T17 cancelled 1 1000',
    '2026-08-01T17 failed 1 1000',
    '2026-08-01T17 paid 2 2000',
    '2026-08-01T17 reversed 1 1000',
  ]);
  t.same(await showTotals(await makeMerchant(sql)), [], 'of another merchant');
});

t.test('a refund counts its own amount, whatever the metadata looks like', async (t) => {
  const of = await makeMerchant(sql);
  const hostile = { '"refund_amount":"999"}}': '"refund_amount":"999"}}', nul: '\u0000' };
  const refund = { metadata: hostile, refund_id: 'ref_1', refund_amount: '250' };
  await store({ of, type: 'refund_succeeded', data: refund });
  await store({ of, type: 'refund_recorded', data: { refund_id: 'ref_2', refund_amount: '1' } });
  const erased = await store({ of, type: 'refund_corrected', data: refund });
  const [row] = await sql<{ envelope: string }[]>`
    select envelope from payment_events where payment_id = ${erased}`;
  const envelope = eraseEnvelope(row?.envelope ?? '', true);
  t.notMatch(envelope, /"999/);
  await sql`update payment_events set envelope = ${envelope} where payment_id = ${erased}`;
  t.equal(await follow(), 3);
  t.same(await showTotals(of), ['2026-08-01T17 refunded 3 501'], 'also of an erased customer');
});

t.test(
  'without new events nothing is written, and events without an envelope are not new',
  async (t) => {
    const of = await makeMerchant(sql);
    await store({ of, type: 'attempt_accepted', envelope: null });
    await sql`begin`;
    t.equal(await follow(), 0);
    const written = await sql`select pg_current_xact_id_if_assigned()::text as xid`;
    await sql`commit`;
    t.same(written, [{ xid: null }], 'the transaction got no id');
    await store({ of, type: 'payment_paid' });
    t.equal(await follow(), 1);
    t.same(await showTotals(of), ['2026-08-01T17 paid 1 1000']);
  },
);

t.test('a round adds a limited number of events, and says when more may wait', async (t) => {
  const of = await makeMerchant(sql);
  for (const partition of [0, 0, 0, 1, 1]) await store({ of, partition, type: 'payment_paid' });
  t.same(await followTotals(sql, PARTITIONS, 4), { events: 4, hasMore: true });
  t.same(await followTotals(sql, PARTITIONS, 4), { events: 1, hasMore: false });
  t.same(await followTotals(sql, PARTITIONS, 4), { events: 0, hasMore: false });
  t.same(await showTotals(of), ['2026-08-01T17 paid 5 5000']);
});

t.test('the partitions of another process wait for it', async (t) => {
  const of = await makeMerchant(sql);
  for (const partition of [0, 1]) await store({ of, partition, type: 'payment_paid' });
  t.equal(await follow(sql, [0]), 1);
  t.equal(await follow(sql, []), 0);
  t.equal(await follow(another, [1]), 1);
});

t.test('a cursor that another process moves is skipped, and its events count once', async (t) => {
  const of = await makeMerchant(sql);
  for (const partition of [0, 1]) await store({ of, partition, type: 'payment_paid' });
  await another`begin`;
  t.equal(await follow(another, [0]), 1);
  t.equal(await follow(sql, [0]), 0);
  await another`commit`;
  t.equal(await follow(), 1);
  t.same(await showTotals(of), ['2026-08-01T17 paid 2 2000']);
});

t.test('two processes that follow the same partitions at once count each event once', async (t) => {
  const of = await makeMerchant(sql);
  for (let round = 0; round < 20; round += 1) {
    for (const partition of [0, 1]) await store({ of, partition, type: 'payment_paid' });
    await Promise.all([follow(sql), follow(another)]);
  }
  await follow();
  t.same(await showTotals(of), ['2026-08-01T17 paid 40 40000']);
});

t.test(
  'a process that dies in the middle counts nothing, and the next one counts once',
  async (t) => {
    const of = await makeMerchant(sql);
    for (const partition of [0, 1]) await store({ of, partition, type: 'payment_paid' });
    await follow();
    for (const partition of [0, 1]) await store({ of, partition, type: 'payment_paid' });
    // The lock holds the process between the move of its cursors and its end.
    await beside.begin(async (tx) => {
      await tx`select from payment_totals where merchant_id = ${of} for update`;
      const dying = follow(another);
      const killed = waitUntil('the process waits', async () => {
        const rows = await tx`
        select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'kasir test another process' and wait_event_type = 'Lock'
           and datname = current_database()`;
        return rows.length > 0;
      });
      await t.rejects(dying);
      await killed;
    });
    t.same(await showTotals(of), ['2026-08-01T17 paid 2 2000']);
    t.equal(await follow(), 2);
    t.same(await showTotals(of), ['2026-08-01T17 paid 4 4000']);
  },
);

t.test('an envelope tells the amount, and the payment does when it does not', async (t) => {
  const of = await makeMerchant(sql);
  const countReads = async (): Promise<number> => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await sql<{ rows: string }[]>`
      select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables
       where relname = 'payments'`;
    return Number(row?.rows);
  };
  for (const partition of [0, 1]) await store({ of, partition, type: 'payment_paid' });
  const before = await countReads();
  t.equal(await follow(), 2);
  t.equal((await countReads()) - before, 0, 'the payments are not read');
  const other = await store({ of, type: 'payment_paid' });
  await sql`update payment_events set envelope = '{}' where payment_id = ${other}`;
  t.equal(await follow(), 1);
  t.same(await showTotals(of), ['2026-08-01T17 paid 3 3000']);
});
