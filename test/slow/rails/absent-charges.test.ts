// Charges that got no answer and were not taken, through the service and the simulated rails: what is possible then.
import t from 'tap';
import { deriveOrderId, type PaymentId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { ChargeCall } from '#actors/core/payment/rail-calls.js';
import { waitUntil, WAIT_MS } from '#ops/dev/launch/wait-until.js';
import { postForm } from '#test/support/collecting/stage.js';
import { uniqueWord } from '#test/support/processes.js';
import { startRails, startRailService } from '#test/support/rails/service.js';

const service = await startRailService(t, {
  RAIL_ROUTES: 'QRIS=midtrans,xendit;VA_BCA=xendit;VA_PERMATA=midtrans',
  RAIL_SYNC_SCHEDULE: '1,1,1,600',
  RAIL_TIMEOUT_MS: '2000',
});
const { simulated, live, sql, statusOf, baseUrl, create } = service;
const { control, plan } = simulated;
await startRails(service);
const becomes = (id: unknown, status: string) =>
  waitUntil(`it is ${status}`, async () => (await statusOf(id)) === status);
const orderOf = (id: unknown, number: number) => deriveOrderId(id as PaymentId, number);
const loseCharges = () => plan({ kind: 'reset', operation: 'charge', took: false });

/** Waits for three inquiries without a result; then time passes. */
async function waitForAbsence(id: unknown): Promise<void> {
  const orderId = orderOf(id, 1);
  await waitUntil('it was missing three times', async () => {
    const [row] = await sql`
      select absences from status_inquiries where id = ${orderId} and leased_until is null`;
    return Number(row?.['absences']) >= 3;
  });
  t.equal(await statusOf(id), 'pending', 'three times are no proof');
  await sql`
    update status_inquiries set absent_since = now() - interval '6 minutes', due_at = now()
     where id = ${orderId}`;
}
/** The first charge reaches its rail after all. */
async function chargeLate(id: unknown): Promise<string> {
  const charge: ChargeCall = {
    id: 'call_late',
    operation: 'charge',
    paymentId: id as PaymentId,
    rail: 'midtrans',
    orderId: orderOf(id, 1),
    method: 'VA_PERMATA',
    amountMinor: makeMinor(25_000n),
    currency: 'IDR',
    expiresAtMs: Date.now() + 3_600_000,
  };
  const payer = { name: null, email: null, phone: null, description: null };
  const signal = AbortSignal.timeout(WAIT_MS);
  t.match(await simulated.midtrans.charge(charge, payer, signal), { result: 'accepted' });
  return charge.orderId;
}
const closesOf = async (id: unknown): Promise<number> => {
  const rows = await sql`
    select 1 from rail_calls where payment_id = ${String(id)} and operation = 'close'`;
  return rows.length;
};

await t.test(
  'the customer may choose again, and money for the first order is suspended',
  async (t) => {
    const { body } = await live.create({ amount: '25000' }, uniqueWord());
    const id = String(body['id']);
    const choose = (method: string) =>
      postForm(`${baseUrl}/checkout/${id}/method`, { payment_method: method });
    await loseCharges();
    await choose('VA_PERMATA');
    await plan();
    await choose('VA_BCA');
    t.equal(await service.ordersOf(orderOf(id, 2)), 0, 'the first order may still be taken');
    await waitForAbsence(id);
    await waitUntil('another method is possible', async () => {
      await choose('VA_BCA');
      return (await service.ordersOf(orderOf(id, 2))) === 1;
    });
    t.equal(await closesOf(id), 1, 'the order was cancelled at its rail first');
    await control('POST', 'pay', { order_id: orderOf(id, 2) });
    await becomes(id, 'paid');

    // The first charge arrives after all, and its customer pays it.
    await control('POST', 'pay', { order_id: await chargeLate(id) });
    await waitUntil('there is a task', async () => {
      const [task] = await sql`
      select kind, details::json ->> 'reason' as reason from operator_tasks where payment_id = ${id}`;
      return task?.['kind'] === 'settlement_suspended' && task['reason'] === 'already_paid';
    });
  },
);

await t.test('an order that arrives late is closed before anybody pays it', async (t) => {
  await loseCharges();
  const { body } = await create('VA_PERMATA');
  await plan();
  const { payment_id: id } = body['error'] as Record<string, unknown>;
  await waitForAbsence(id);
  await becomes(id, 'failed');
  t.match((await live.get(id)).body, { failure_code: 'processing_failed' });
  const orderId = await chargeLate(id);
  const [inquiry] = await sql`
    update status_inquiries set due_at = now() where id = ${orderId}
    returning inquire_until > now() + interval '1 day' as "goesOn"`;
  t.equal(inquiry?.['goesOn'], true, 'inquiries go on beyond its expiry');
  await waitUntil('it is closed', async () => {
    const order = (await control('GET', `orders/${orderId}`)) as { status: string };
    return order.status === 'cancelled';
  });
});

await t.test(
  'the task of a charge without an answer closes when the answer is known',
  async (t) => {
    await loseCharges();
    const { body } = await create('VA_PERMATA');
    await plan();
    const { payment_id: id } = body['error'] as Record<string, unknown>;
    // As the expiry of the payment opens it, two minutes after its time.
    const openTask = async (orderId: string) => {
      await sql`
      insert into operator_tasks (id, kind, payment_id, details, opened_at)
      values (${`task_${orderId}`}, 'attempt_unresolved', ${String(id)},
              ${JSON.stringify({ rail: 'midtrans', orderId })}, now())`;
    };
    await openTask(orderOf(id, 1));
    await openTask(orderOf(id, 2));
    await waitForAbsence(id);
    await becomes(id, 'failed');
    const tasks = await sql`
    select details::json ->> 'orderId' as "orderId", status from operator_tasks
     where payment_id = ${String(id)} order by status`;
    t.strictSame(
      [...tasks],
      [
        { orderId: orderOf(id, 2), status: 'open' },
        { orderId: orderOf(id, 1), status: 'resolved' },
      ],
      'only the task of this order',
    );
  },
);

await t.test('a cancel during the absence takes effect at its end', async (t) => {
  await loseCharges();
  const { body } = await create('VA_PERMATA');
  await plan();
  const { payment_id: id } = body['error'] as Record<string, unknown>;
  const cancelling = live.cancel(id);
  await waitForAbsence(id);
  await becomes(id, 'cancelled');
  t.ok([200, 504].includes((await cancelling).status));
});
