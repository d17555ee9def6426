// LIVE refunds whose request did not reach the rail: they are sent, once, and the next refund of the payment follows.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { claimCalls } from '#store/postgres/rails/claim-calls.js';
import { beginRefund } from '#store/postgres/rails/record-answers.js';
import type { ApiAnswer } from '#test/support/api.js';
import { startRailService, startRails } from '#test/support/rails/service.js';
import { uniqueWord } from '#test/support/processes.js';

const service = await startRailService(t, {
  RAIL_SYNC_SCHEDULE: '1',
  RAIL_TIMEOUT_MS: '2000',
  LIVE_WAIT_MS: '4000',
  RAIL_ROUTES: 'QRIS=xendit,midtrans',
});
const { sql, simulated, rails } = service;
await sql`update merchants set verification_status = 'APPROVED', live_enabled = true`;
await startRails(service);

async function makePaid(rail: 'midtrans' | 'xendit'): Promise<string> {
  await route(rail);
  const { body, text } = await service.create('QRIS');
  const id = String(body['id']);
  const [call] = await sql`select request from rail_calls where payment_id = ${id}`;
  if (call === undefined) throw new Error(text);
  const { orderId } = JSON.parse(String(call['request'])) as { orderId: string };
  await simulated.control('POST', 'pay', { order_id: orderId });
  await waitUntil('it is paid', async () => (await service.statusOf(id)) === 'paid');
  return id;
}

/** The rail of the merchant's next payments. */
async function route(rail: 'midtrans' | 'xendit'): Promise<void> {
  const rows = await sql<{ id: string }[]>`select id from merchants`;
  for (const { id } of rows) {
    await sql`insert into merchant_rail_routes (merchant_id, method, rails)
              values (${id}, 'QRIS', ${[rail]}::text[])
              on conflict (merchant_id, method) do update set rails = excluded.rails`;
  }
  await waitUntil(`payments go to ${rail}`, async () => {
    const { body } = await service.create('QRIS');
    const [call] = await sql`select rail from rail_calls where payment_id = ${String(body['id'])}`;
    return call?.['rail'] === rail;
  });
}

const refund = (id: string, amount: string): Promise<ApiAnswer> =>
  service.live.call('/v1/refunds', {
    method: 'POST',
    body: { payment_id: id, amount },
    headers: { 'idempotency-key': uniqueWord() },
  });

const hasEnded = (id: unknown) =>
  waitUntil(`${String(id)} has succeeded`, async () => {
    return (await service.live.call(`/v1/refunds/${String(id)}`)).body['status'] === 'SUCCEEDED';
  });

async function countAtRail(paymentId: string): Promise<number> {
  const { body } = await service.live.get(paymentId);
  const order = await simulated.control('GET', `orders/${String(body['order_id'])}`);
  return (order as { refunds: unknown[] }).refunds.length;
}

t.test(
  'a refund whose check before the request failed is sent when the rail answers',
  async (t) => {
    const id = await makePaid('xendit');
    await simulated.plan({ kind: 'server_error', operation: 'status', rail: 'xendit' });
    const made = await refund(id, '1000');
    t.match(made.body, { status: 'PENDING' }, made.text);
    t.equal(await countAtRail(id), 0, 'nothing was sent');
    const next = await refund(id, '2000');
    t.match(next.body, { status: 'PENDING' }, next.text);
    await simulated.plan();
    await hasEnded(made.body['id']);
    await hasEnded(next.body['id']);
    t.equal(await countAtRail(id), 2, 'each was sent once');
  },
);

t.test('a refund whose connection broke is repeated under its key', async (t) => {
  const id = await makePaid('midtrans');
  const reset = { kind: 'reset', operation: 'refund', rail: 'midtrans', times: 1 } as const;
  for (const took of [false, true]) {
    await simulated.plan({ ...reset, took });
    const made = await refund(id, '1000');
    t.equal(made.status, 201, made.text);
    await hasEnded(made.body['id']);
    t.equal(await countAtRail(id), took ? 2 : 1, 'made once');
  }
  await simulated.plan();
});

t.test('a refund that was ended by hand before its request is not sent', async (t) => {
  const id = await makePaid('xendit');
  await simulated.plan({ kind: 'server_error', operation: 'status', rail: 'xendit' });
  const made = await refund(id, '1000');
  const [row] = await sql<{ snapshot: string }[]>`select snapshot from payments where id = ${id}`;
  const failed = String(row?.snapshot).replace('"status":"asked"', '"status":"failed"');
  await sql`update payments set snapshot = ${failed} where id = ${id}`;
  await simulated.plan();
  await waitUntil('the call is over', async () => {
    const [call] = await sql`
      select state from rail_calls where payment_id = ${id} and operation = 'refund'`;
    return call?.['state'] === 'answered';
  });
  t.equal(await countAtRail(id), 0);
  t.ok(made.body['id']);
});

/** A refund whose call a process has claimed, and then died. */
async function makeClaimed(paymentId: string): Promise<void> {
  await rails.kill();
  await refund(paymentId, '1000');
  const claimed = await claimCalls(sql, { rail: 'xendit', operation: 'refund' }, 10, 1_000);
  if (claimed.length !== 1) throw new Error(`${claimed.length} calls`);
}

/** The answer to its request was lost with the process. */
async function findRefundOf(paymentId: string): Promise<unknown> {
  const { body } = await service.live.call(`/v1/refunds?payment_id=${paymentId}`);
  return (body['data'] as { id: string }[])[0]?.id;
}

const readCall = async (paymentId: string) => {
  const [call] = await sql<{ id: string; sentAt: string; state: string }[]>`
    select id, sent_at::text as "sentAt", state from rail_calls
     where payment_id = ${paymentId} and operation = 'refund'`;
  if (call === undefined) throw new Error(`${paymentId} has no refund`);
  return call;
};

t.test('a refund killed between its claim and its request is sent once', async (t) => {
  const id = await makePaid('xendit');
  await makeClaimed(id);
  const { id: callId, sentAt } = await readCall(id);
  await rails.start();
  await hasEnded(await findRefundOf(id));
  t.equal(await countAtRail(id), 1);
  t.equal(await beginRefund(sql, { callId, sentAt }), false, 'the first claim is over');
});

t.test('a refund killed after its request began is never sent again', async (t) => {
  const id = await makePaid('xendit');
  await makeClaimed(id);
  const { id: callId, sentAt } = await readCall(id);
  t.equal(await beginRefund(sql, { callId, sentAt }), true);
  t.equal(await beginRefund(sql, { callId, sentAt }), false, 'once');
  await sql`update rail_calls set sent_at = now() - interval '1 minute' where id = ${callId}`;
  await rails.start();
  await waitUntil('it is inquired', async () => {
    const [row] = await sql`select number from status_inquiries where id = ${callId}`;
    return Number(row?.['number']) >= 3;
  });
  t.equal((await readCall(id)).state, 'sent', 'the rail may have it');
  t.equal(await countAtRail(id), 0);
});

t.test('a refund without a result for hours becomes a task', async (t) => {
  const id = await makePaid('xendit');
  await simulated.plan({ kind: 'no_answer', operation: 'refund', rail: 'xendit', took: false });
  const made = await refund(id, '1000');
  t.match(made.body, { status: 'PENDING' }, made.text);
  await sql`update rail_calls set requested_at = now() - interval '7 hours'
             where payment_id = ${id} and operation = 'refund'`;
  await waitUntil('it is a task', async () => {
    const rows = await sql`
      select details from operator_tasks where payment_id = ${id} and kind = 'refund_unresolved'`;
    return rows.length === 1 && String(rows[0]?.['details']).includes(String(made.body['id']));
  });
  await simulated.plan();
});
