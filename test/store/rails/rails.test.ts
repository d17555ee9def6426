// Calls and status inquiries in Postgres: claims, results that count, and inquiries after a callback.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { createBatchWriter } from '#actors/rails/batch-writer.js';
import { claimCalls } from '#store/postgres/rails/claim-calls.js';
import { type NewCallback, storeCallback } from '#store/postgres/rails/callbacks.js';
import { recordAnswers } from '#store/postgres/rails/record-answers.js';
import {
  claimInquiries,
  type RecordedInquiry,
  recordInquiries,
} from '#store/postgres/rails/inquiries.js';
import { openPostgres } from '#store/postgres/client.js';
import { createDatabase } from '#test/support/servers.js';

const LEASE_MS = 60_000;
const CHARGES = { rail: 'midtrans', operation: 'charge' } as const;
const PAYMENT = 'pay_5jz8q4m1n7v2c9k3x6w0t4h8rb';
const ORDER = '0b1c2d3e-4f50-8a61-9b72-c3d4e5f60718';
const claim = { rail: 'midtrans', limit: 10, leaseMs: LEASE_MS, givenUpMs: LEASE_MS } as const;

const sql = openPostgres(await createDatabase(t), 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
await sql`insert into merchants (id, business_name) values ('mer_1', 'Toko')`;
await sql`
  insert into payments (id, merchant_id, environment, status, amount, currency, created_at, version, snapshot)
  values (${PAYMENT}, 'mer_1', 'LIVE', 'creating', 25000, 'IDR', now(), 1, '{}')`;

async function listPending(): Promise<unknown[]> {
  const rows = await sql`select command from rail_facts order by id`;
  return rows.map(({ command }) => command as unknown);
}

async function countTasks(): Promise<unknown> {
  const [row] = await sql`select count(*)::int as tasks from operator_tasks`;
  return row?.['tasks'];
}

async function storeCall(id: string): Promise<void> {
  const request = JSON.stringify({ orderId: ORDER, expiresAtMs: Date.now() + 900_000 });
  await sql`
    insert into rail_calls (id, payment_id, merchant_id, rail, operation, request, due_at)
    values (${id}, ${PAYMENT}, 'mer_1', 'midtrans', 'charge', ${request}, now())`;
}

const callback: NewCallback = {
  rail: 'midtrans',
  dedupeKey: 'one',
  subject: { kind: 'order', id: ORDER, reference: 'r1' },
  reports: 'settled',
  amount: '25000',
  currency: 'IDR',
  body: Buffer.from('{}'),
};
const next = { inMs: 600_000, step: 1, inquireUntilMs: Date.now() + 3_600_000, fast: null };

t.test('a call that three processes claim is claimed once', async (t) => {
  await storeCall('call_1');
  const claims = await Promise.all([1, 2, 3].map(() => claimCalls(sql, CHARGES, 5, LEASE_MS)));
  t.strictSame(
    claims.flat().map(({ id }) => id),
    ['call_1'],
  );
  t.equal((await claimCalls(sql, { ...CHARGES, rail: 'xendit' }, 5, LEASE_MS)).length, 0);
  t.equal((await claimInquiries(sql, claim)).length, 0, 'its order has an inquiry that is not due');
});

t.test('the first answer to a call counts', async (t) => {
  const answer = {
    callId: 'call_1',
    command: 'first',
    inquiryId: ORDER,
    inquireInMs: 600_000,
    reference: null,
  };
  t.strictSame(await recordAnswers(sql, [answer]), [true]);
  t.strictSame(await recordAnswers(sql, [{ ...answer, command: 'second' }]), [false]);
  t.strictSame(await listPending(), ['first']);
  await sql`delete from rail_facts`;
});

t.test('an order has one inquiry at a time, and the latest result counts', async (t) => {
  await sql`update status_inquiries set due_at = now()`;
  const [older] = await claimInquiries(sql, claim);
  t.match(older, { id: ORDER, kind: 'order', number: 1 });
  t.equal((await claimInquiries(sql, claim)).length, 0, 'one is under way');
  // As if the process that claimed it were slow, or dead.
  await sql`update status_inquiries set leased_until = now(), due_at = now()`;
  const [later] = await claimInquiries(sql, claim);
  t.equal(later?.number, 2);
  const task = { id: 'task_1', kind: 'callback_contradicted', details: '{}' } as const;
  const found = {
    next,
    answeredCalls: [],
    commands: ['settle'],
    absence: null,
    close: null,
    tasks: [task],
  };
  const result = { paymentId: PAYMENT, ...found };
  const record = (...numbers: number[]) =>
    recordInquiries(
      sql,
      numbers.map((number) => ({ ...result, inquiry: { id: ORDER, number, callbacks: 0 } })),
    );
  t.strictSame(await record(1), [false], 'an older result is dropped');
  t.strictSame(await listPending(), [], 'with its commands');
  t.equal(await countTasks(), 0);
  t.strictSame(await record(1, 2), [false, true], 'in one batch with the latest too');
  t.strictSame(await listPending(), ['settle']);
  t.equal(await countTasks(), 1);
  t.equal((await claimInquiries(sql, claim)).length, 0, 'the next one is not due');
});

t.test(
  'an item that Postgres refuses does not keep the rest of its batch from being recorded',
  async (t) => {
    const sizes: number[] = [];
    const record = createBatchWriter<RecordedInquiry>((all) => {
      sizes.push(all.length);
      return recordInquiries(sql, all);
    });
    const ids = ['first', 'refused', 'last'];
    await sql`
    insert into status_inquiries (id, kind, rail, payment_id, merchant_id, due_at, inquire_until)
    select id, 'order', 'xendit', ${PAYMENT}, 'mer_1', now(), now() from unnest(${ids}::text[]) as id`;
    const results = (await claimInquiries(sql, { ...claim, rail: 'xendit' })).map(
      ({ id, number }) => ({
        ...{
          inquiry: { id, number, callbacks: 0 },
          paymentId: PAYMENT,
          next,
          answeredCalls: [],
          absence: null,
          close: null,
          tasks: [],
        },
        commands: [id === 'refused' ? '\u0000' : id],
      }),
    );
    const idle = record({
      ...results[0],
      inquiry: { id: 'nobody', number: 1, callbacks: 0 },
    } as RecordedInquiry);
    // The batcher begins a statement at the end of the event-loop turn.
    await new Promise((resolve) => setImmediate(resolve));
    const outcomes = await Promise.allSettled(results.map(record));
    t.equal(await idle, false);
    t.strictSame(
      sizes,
      [1, 3, 1, 1, 1],
      'items that arrive during a statement are one batch, then each is recorded alone',
    );
    const stored = results.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    t.strictSame(stored.map(({ inquiry }) => inquiry.id).sort(), ['first', 'last']);
    t.strictSame((await listPending()).slice(1).sort(), ['first', 'last']);
  },
);

t.test('a callback makes one inquiry due, after the one under way', async (t) => {
  await sql`update status_inquiries set inquired_at = null where id = ${ORDER}`;
  t.same(await storeCallback(sql, callback, 1), { status: 'taken', isRepeat: false });
  const [inquiry] = await claimInquiries(sql, claim);
  t.match(inquiry, { id: ORDER, reference: 'r1' });
  t.same(await storeCallback(sql, callback, 1), { status: 'taken', isRepeat: true });
  const other = { ...callback, dedupeKey: 'two' };
  t.same(await storeCallback(sql, other, 1), { status: 'taken', isRepeat: false });
  t.equal((await claimInquiries(sql, claim)).length, 0, 'one is under way');
  const number = inquiry?.number ?? 0;
  const seen = inquiry?.callbacks ?? 0;
  const result = { inquiry: { id: ORDER, number, callbacks: seen }, paymentId: PAYMENT, next };
  await recordInquiries(sql, [
    { ...result, answeredCalls: [], commands: [], absence: null, close: null, tasks: [] },
  ]);
  t.equal((await claimInquiries(sql, claim)).length, 0, 'the next one waits for a moment');
  const [again] = await waitUntil('the next one is due', async () => {
    const claimed = await claimInquiries(sql, claim);
    return claimed.length > 0 ? claimed : null;
  });
  t.equal(again?.id, ORDER, 'a callback during an inquiry makes the next one due');
  t.strictSame(again?.reported, [{ amount: '25000', currency: 'IDR' }], 'each amount once');
  const elsewhere = { ...callback, rail: 'xendit' } as const;
  t.equal((await storeCallback(sql, elsewhere, 1)).status, 'unknown_order', 'not its order');
});

t.test('a storm of repeats makes one inquiry due, ten seconds after the latest', async (t) => {
  const read = async () => {
    const [row] = await sql`
      select callbacks, to_json(unconfirmed) as unconfirmed, fast_step as step,
             extract(epoch from due_at - inquired_at)::float8 as after
        from status_inquiries where id = ${ORDER}`;
    return row;
  };
  await sql`
    update status_inquiries set leased_until = null, due_at = now() + interval '5 hours', inquired_at = now(),
           fast_step = 7, unconfirmed = '{}' where id = ${ORDER}`;
  const before = await read();
  for (let repeat = 1; repeat <= 50; repeat += 1) await storeCallback(sql, callback, 1);
  t.match(await read(), { unconfirmed: ['settled'], step: 0, after: 10 });
  t.equal((await read())?.['callbacks'], Number(before?.['callbacks']) + 50);
  t.equal((await claimInquiries(sql, claim)).length, 0, 'not due yet');
});

t.test('the report of a callback during an inquiry stays unconfirmed', async (t) => {
  await sql`
    update status_inquiries set leased_until = null, due_at = now(), unconfirmed = '{open}'
     where id = ${ORDER}`;
  const [inquiry] = await claimInquiries(sql, claim);
  if (inquiry === undefined) throw new Error('no inquiry is due');
  t.same(inquiry.unconfirmed, ['open']);
  await storeCallback(sql, { ...callback, dedupeKey: 'three', reports: 'reversed' }, 1);
  const found = { answeredCalls: [], commands: [], absence: null, close: null, tasks: [] };
  await recordInquiries(sql, [{ inquiry, paymentId: PAYMENT, next: null, ...found }]);
  const [row] = await sql`
    select to_json(unconfirmed) as unconfirmed, due_at is not null as "isDue" from status_inquiries where id = ${ORDER}`;
  t.same(row, { unconfirmed: ['open', 'reversed'], isDue: true });
});

t.test('the answer to a call does not put off the inquiry of a callback', async (t) => {
  await sql`update rail_calls set state = 'sent' where id = 'call_1'`;
  await sql`update status_inquiries set due_at = now(), unconfirmed = '{settled}' where id = ${ORDER}`;
  const answer = {
    callId: 'call_1',
    command: 'late',
    inquiryId: ORDER,
    inquireInMs: null,
    reference: null,
  };
  t.strictSame(await recordAnswers(sql, [answer]), [true]);
  const [row] =
    await sql`select due_at <= now() as "isDue" from status_inquiries where id = ${ORDER}`;
  t.equal(row?.['isDue'], true);
});

t.test(
  'an order that its rail keeps open for longer is inquired until a day after that',
  async (t) => {
    const request = { orderId: 'kept', method: 'QRIS', expiresAtMs: Date.now() + 900_000 };
    await sql`
    insert into rail_calls (id, payment_id, merchant_id, rail, operation, request, due_at)
    values ('call_kept', ${PAYMENT}, 'mer_1', 'xendit', 'charge', ${JSON.stringify(request)}, now())`;
    const queue = {
      rail: 'xendit',
      operation: 'charge',
      openMs: { QRIS: 48 * 3_600_000 },
    } as const;
    await claimCalls(sql, queue, 5, LEASE_MS);
    const [inquiry] = await sql`
    select round(extract(epoch from inquire_until - now()) / 3600)::int as hours, step
      from status_inquiries where id = 'kept'`;
    t.same(inquiry, { hours: 72, step: 0 });
  },
);

t.test('a close begins the schedule of its order again', async (t) => {
  await sql`update status_inquiries set step = 9, due_at = now() + interval '5 hours' where id = 'kept'`;
  await sql`
    insert into rail_calls (id, payment_id, merchant_id, rail, operation, request, due_at)
    values ('call_close', ${PAYMENT}, 'mer_1', 'xendit', 'close', ${JSON.stringify({ orderId: 'kept' })}, now())`;
  await claimCalls(sql, { rail: 'xendit', operation: 'close' }, 5, LEASE_MS);
  const [inquiry] = await sql`
    select step, due_at < now() + interval '2 minutes' as "isSoon" from status_inquiries where id = 'kept'`;
  t.same(inquiry, { step: 0, isSoon: true });
});

t.test('a lost close is made again, unless its own answer was stored meanwhile', async (t) => {
  const close = { rail: 'xendit', request: '{}', inMs: 0, onlyWithout: 'call_close' } as const;
  const record = async (id: string) => {
    await sql`update status_inquiries set due_at = now(), leased_until = null where id = 'kept'`;
    const [inquiry] = await claimInquiries(sql, { ...claim, rail: 'xendit' });
    if (inquiry === undefined) throw new Error('no inquiry is due');
    const found = { next, answeredCalls: ['call_close'], commands: [], absence: null, tasks: [] };
    await recordInquiries(sql, [
      { inquiry, paymentId: PAYMENT, ...found, close: { ...close, id } },
    ]);
    return (await sql`select 1 from rail_calls where id = ${id} and state = 'due'`).length;
  };
  t.equal(await record('call_again'), 1);
  const [inquiry] = await sql`select closes, close_id from status_inquiries where id = 'kept'`;
  t.same(inquiry, { closes: 1, close_id: 'call_again' });
  t.equal(await record('call_late'), 0, 'it was answered');
});
