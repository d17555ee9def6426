// Money that a rail without a list gave back by itself, and refunds that it does not have. The rail's callback opens the
// task at once; reconciliation finds what no callback reported.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { uniqueWord } from '#test/support/processes.js';
import { listDifferences, openReconciled } from '#test/support/rails/reconciled.js';
import { startRailService, startRails } from '#test/support/rails/service.js';

const service = await startRailService(t, {
  RAIL_SYNC_SCHEDULE: '3600',
  RAIL_ROUTES: 'QRIS=midtrans;VA_BCA=xendit',
});
const { sql, simulated, live } = service;
await startRails(service);
const { day, pay, change, dateBack, tasksOf, reconcile } = openReconciled(service);

const refundsAt = async (orderId: string) => {
  const order = await simulated.control('GET', `orders/${orderId}`);
  return (order as { refunds: { id: string }[] }).refunds;
};

async function refund(paymentId: string, amount: string): Promise<string> {
  const { body } = await live.call('/v1/refunds', {
    method: 'POST',
    body: { payment_id: paymentId, amount },
    headers: { 'idempotency-key': uniqueWord() },
  });
  const id = String(body['id']);
  await waitUntil('it is refunded', async () => {
    return (await live.call(`/v1/refunds/${id}`)).body['status'] === 'SUCCEEDED';
  });
  return id;
}

const hasTask = (paymentId: string) =>
  waitUntil(`${paymentId} has a task`, async () => {
    return (await tasksOf(paymentId)).length > 0;
  });

const reported = await pay('QRIS');
const disputed = await pay('QRIS');

t.test('a dashboard refund and a chargeback become tasks with their callbacks', async (t) => {
  await simulated.control('POST', `orders/${reported.orderId}/refund`, { amount: '7000' });
  await hasTask(reported.id);
  const [refunded] = await refundsAt(reported.orderId);
  t.match(await tasksOf(reported.id), [
    {
      details: {
        ...{ rail: 'midtrans', orderId: reported.orderId, difference: 'orphan', field: 'refund' },
        ...{ ours: 'absent', theirs: 'refund 7000 IDR', booking: 'refund' },
        ...{ railTransactionId: refunded?.id, amount: '7000', currency: 'IDR' },
      },
    },
  ]);
  await simulated.control('POST', `orders/${disputed.orderId}/chargeback`, { amount: '5000' });
  await hasTask(disputed.id);
  const [dispute] = await refundsAt(disputed.orderId);
  t.match(await tasksOf(disputed.id), [
    {
      details: {
        ...{ difference: 'orphan', field: 'refund', theirs: 'chargeback 5000 IDR' },
        ...{ booking: 'chargeback', railTransactionId: dispute?.id, amount: '5000' },
      },
    },
  ]);
  t.equal(await service.statusOf(disputed.id), 'paid', 'no money moves without a person');
});

t.test('reconciliation finds what no callback reported, and opens each task once', async (t) => {
  const quiet = await pay('QRIS');
  await change(`orders/${quiet.orderId}/refund`, { amount: '1000' });
  await change(`orders/${quiet.orderId}/chargeback`, { amount: '2000' });
  const dropped = await pay('QRIS');
  const refundId = await refund(dropped.id, '3000');
  await change(`orders/${dropped.orderId}/drop`);
  const late = await pay('QRIS');
  const lateId = await refund(late.id, '4000');
  const alike = await pay('QRIS');
  await refund(alike.id, '6000');
  await dateBack([reported, disputed, quiet, dropped, late, alike]);
  // Only the refund of this one is of the day.
  await sql`update rail_transactions set booked_at = booked_at - interval '9 days'
             where payment_id = ${late.id}`;
  await sql`update rail_calls set request = (request::jsonb - 'expiresAtMs')::text
             where operation = 'charge'`;
  await change(`orders/${late.orderId}/drop`);

  const found = await reconcile('--rail', 'midtrans');
  const orphans = (orderId: string, ...texts: string[]) =>
    texts.map((theirs) => [orderId, 'orphan', 'refund', 'absent', theirs]);
  const missing = (orderId: string, ours: string) => [orderId, 'missing', 'refund', ours, 'absent'];
  t.strictSame(
    listDifferences(found),
    [
      ...orphans(reported.orderId, 'refund 7000 IDR'),
      ...orphans(disputed.orderId, 'chargeback 5000 IDR'),
      ...orphans(quiet.orderId, 'chargeback 2000 IDR', 'refund 1000 IDR'),
      missing(dropped.orderId, 'succeeded 3000 IDR'),
      missing(late.orderId, 'succeeded 4000 IDR'),
    ].sort(),
    found.text,
  );
  t.equal(found.code, 1);
  for (const { id } of [reported, disputed]) t.equal((await tasksOf(id)).length, 1, 'one task');
  const bookings = (await tasksOf(quiet.id)).map(({ details }) => details['booking']).sort();
  t.strictSame(bookings, ['chargeback', 'refund']);
  t.match(await tasksOf(dropped.id), [{ details: { day, refundId, difference: 'missing' } }]);
  t.match(await tasksOf(late.id), [{ details: { refundId: lateId } }]);
  t.strictSame(await tasksOf(alike.id), []);
});

t.test('a refund that failed here and was made at the rail is inquired about again', async (t) => {
  const paid = await pay('QRIS');
  const refundId = await refund(paid.id, '3000');
  const [row] = await sql`select snapshot from payments where id = ${paid.id}`;
  const failed = String(row?.['snapshot']).replace('"succeeded"', '"failed"');
  await sql`update payments set snapshot = ${failed} where id = ${paid.id}`;
  await dateBack([paid]);
  const found = await reconcile('--rail', 'midtrans');
  t.ok(
    listDifferences(found).some(([, , , ours, theirs]) => ours === 'failed' && theirs === 'made'),
    found.text,
  );
  t.match(await tasksOf(paid.id), [{ details: { field: 'refund', refundId } }]);
  const [inquiry] = await sql`
    select fast_step, unconfirmed from status_inquiries
     where kind = 'refund' and payment_id = ${paid.id} and callbacks > 0`;
  t.ok(inquiry, 'its inquiry became due');
});

t.test('a chargeback that the status shows later than its callback is found', async (t) => {
  const paid = await pay('QRIS');
  await simulated.plan({ kind: 'lag', operation: 'status', subject: paid.orderId, times: 2 });
  await simulated.control('POST', `orders/${paid.orderId}/chargeback`, {});
  await hasTask(paid.id);
  t.match(await tasksOf(paid.id), [{ details: { theirs: 'chargeback 25000 IDR' } }]);
  await simulated.plan();
});
