// From money that a rail gave back by itself to the ledger: its callback opens a task, one administrator proposes to book it,
// another approves, and the next reconciliation finds no difference.
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { approve, makeAdministrators } from '#test/support/approvals.js';
import { openReconciled, type PaidOrder } from '#test/support/rails/reconciled.js';
import { startRailService, startRails } from '#test/support/rails/service.js';

const service = await startRailService(t, {
  RAIL_SYNC_SCHEDULE: '3600',
  RAIL_ROUTES: 'QRIS=midtrans;VA_BCA=xendit',
});
const { sql, simulated, live, baseUrl } = service;
await startRails(service);
const { pay, change, dateBack, reconcile } = openReconciled(service);
const [proposer, approver] = await makeAdministrators(sql, [baseUrl]);

const listTasks = (paymentId: string) =>
  sql<{ id: string; status: string }[]>`
    select id, status from operator_tasks
     where kind = 'rail_difference' and payment_id = ${paymentId} order by id`;

/** One administrator proposes to book each task of the payment, and another approves. */
async function book(paymentId: string): Promise<void> {
  for (const { id } of await listTasks(paymentId)) {
    const path = `/v1/admin/tasks/${id}/resolve`;
    const body = { action: 'book', note: 'the rail confirmed it' };
    const proposed = await proposer.api.call(path, { method: 'POST', body });
    if (proposed.status === 409) {
      // An inquiry has booked it meanwhile.
      const done = { action: 'acknowledge', note: 'booked' };
      await proposer.api.call(path, { method: 'POST', body: done });
      continue;
    }
    const approved = await approve(approver, proposed.body['id']);
    if (approved.body['status'] !== 'applied') throw new Error(approved.text);
  }
}

async function listSuspended(paymentId: string): Promise<string[]> {
  const rows = await sql<{ amount: string }[]>`
    select details::json ->> 'amount' as amount from operator_tasks
     where kind = 'settlement_suspended' and payment_id = ${paymentId}`;
  return rows.map(({ amount }) => amount).sort();
}

const isSettled = async (t: Test, order: PaidOrder): Promise<void> => {
  const tasks = await listTasks(order.id);
  t.ok(tasks.length > 0);
  t.ok(
    tasks.every(({ status }) => status === 'resolved'),
    'the tasks are resolved',
  );
};

t.test('a chargeback and a dashboard refund are booked with four eyes', async (t) => {
  const paid = await pay('QRIS');
  await simulated.control('POST', `orders/${paid.orderId}/chargeback`, { amount: '5000' });
  await waitUntil('the chargeback has a task', async () => {
    return (await listTasks(paid.id)).length === 1;
  });
  await simulated.control('POST', `orders/${paid.orderId}/refund`, { amount: '7000' });
  await waitUntil('the refund has a task', async () => {
    return (await listTasks(paid.id)).length === 2;
  });
  await book(paid.id);
  await isSettled(t, paid);
  t.match((await live.get(paid.id)).body, { status: 'paid', refunded_amount: '12000' });
  const { body } = await live.call(`/v1/refunds?payment_id=${paid.id}`);
  const origins = (body['data'] as Record<string, unknown>[]).map(({ origin }) => origin);
  t.strictSame(origins.sort(), ['chargeback', 'rail']);
  t.strictSame((await verifyLedger(sql)).faults, []);
  await dateBack([paid]);
  const found = await reconcile('--rail', 'midtrans');
  t.equal(found.code, 0, found.text);
});

t.test('a second payment and a reversal are booked with four eyes', async (t) => {
  const twice = await pay('VA_BCA');
  // An inquiry finds the latest payment only.
  await change('pay', { order_id: twice.orderId, amount: '26000', forced: true });
  await change('pay', { order_id: twice.orderId, amount: '27000', forced: true });
  const reversed = await pay('VA_BCA');
  await change(`orders/${reversed.orderId}/reverse`);
  await dateBack([twice, reversed]);
  t.equal((await reconcile('--rail', 'xendit')).code, 1);
  await waitUntil('the latest payment is suspended', async () => {
    return (await listSuspended(twice.id)).length === 1;
  });
  for (const order of [twice, reversed]) {
    await book(order.id);
    await isSettled(t, order);
  }
  t.match((await live.get(reversed.id)).body, { status: 'failed', failure_code: 'reversed' });
  t.strictSame(await listSuspended(twice.id), ['26000', '27000'], 'a person decides whose it is');
  t.strictSame((await verifyLedger(sql)).faults, []);
  const found = await reconcile('--rail', 'xendit');
  t.equal(found.code, 0, found.text);
});
