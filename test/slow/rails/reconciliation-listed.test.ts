// Money that a rail's list shows and no callback reported: second payments, reversals, refunds and chargebacks. Each
// difference opens a task that says how it is booked.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { listDifferences, openReconciled } from '#test/support/rails/reconciled.js';
import { startRailService, startRails } from '#test/support/rails/service.js';

const service = await startRailService(t, {
  RAIL_SYNC_SCHEDULE: '3600',
  RAIL_ROUTES: 'QRIS=xendit;VA_BCA=xendit',
});
const { sql, simulated } = service;
await startRails(service);
const { pay, change, dateBack, tasksOf, reconcile, before } = openReconciled(service);

const orderOf = async (orderId: string) =>
  (await simulated.control('GET', `orders/${orderId}`)) as {
    payments: { id: string }[];
    refunds: { id: string }[];
  };

t.test('each difference opens one task that names its booking', async (t) => {
  const twice = await pay('VA_BCA');
  await change('pay', { order_id: twice.orderId, amount: '25000', forced: true });
  await change('pay', { order_id: twice.orderId, amount: '26000', forced: true });
  const reversed = await pay('VA_BCA');
  await change(`orders/${reversed.orderId}/reverse`);
  const refunded = await pay('QRIS');
  await change(`orders/${refunded.orderId}/refund`, { amount: '1000' });
  const disputed = await pay('QRIS');
  await change(`orders/${disputed.orderId}/chargeback`, { amount: '2000' });
  const lost = await pay('VA_BCA');
  await change(`orders/${lost.orderId}/forget`);
  const alike = await pay('QRIS');
  await dateBack([twice, reversed, refunded, disputed, alike]);
  const found = await reconcile('--rail', 'xendit');
  t.strictSame(
    listDifferences(found),
    [
      [twice.orderId, 'differing', 'status', 'paid', 'settled'],
      [twice.orderId, 'differing', 'status', 'paid', 'settled'],
      [reversed.orderId, 'differing', 'status', 'captured', 'reversed'],
      [refunded.orderId, 'orphan', 'refund', 'absent', 'refund 1000 IDR'],
      [disputed.orderId, 'orphan', 'refund', 'absent', 'chargeback 2000 IDR'],
      [lost.orderId, 'missing', 'status', 'settled', 'absent'],
    ].sort(),
    found.text,
  );
  const detailsOf = async (id: string) => (await tasksOf(id)).map(({ details }) => details);
  const [, second, third] = (await orderOf(twice.orderId)).payments;
  t.match(
    (await detailsOf(twice.id)).sort((a, b) => Number(a['amount']) - Number(b['amount'])),
    [
      { booking: 'settlement', railTransactionId: second?.id, amount: '25000', currency: 'IDR' },
      { booking: 'settlement', railTransactionId: third?.id, amount: '26000', currency: 'IDR' },
    ],
  );
  const [taken] = (await orderOf(reversed.orderId)).payments;
  const reversal = { booking: 'reversal', amount: '25000', currency: 'IDR' };
  t.match(await detailsOf(reversed.id), [{ ...reversal, railTransactionId: taken?.id }]);
  t.match(await detailsOf(lost.id), [reversal]);
  const [dashboard] = (await orderOf(refunded.orderId)).refunds;
  t.match(await detailsOf(refunded.id), [
    { booking: 'refund', railTransactionId: dashboard?.id, amount: '1000' },
  ]);
  const [chargeback] = (await orderOf(disputed.orderId)).refunds;
  t.match(await detailsOf(disputed.id), [
    { booking: 'chargeback', railTransactionId: chargeback?.id, amount: '2000' },
  ]);
  t.strictSame(await detailsOf(alike.id), []);
});

t.test('a refund of ours is matched, and missed when the rail does not have it', async (t) => {
  const refund = async (id: string) => {
    const { body, text } = await service.live.call('/v1/refunds', {
      method: 'POST',
      body: { payment_id: id, amount: '3000' },
      headers: { 'idempotency-key': id },
    });
    for (;;) {
      const { body: now } = await service.live.call(`/v1/refunds/${String(body['id'])}`);
      if (now['status'] === 'SUCCEEDED') return String(body['id']);
      if (now['status'] !== 'PENDING') throw new Error(text);
    }
  };
  const [matched, dropped] = [await pay('QRIS'), await pay('QRIS')];
  await refund(matched.id);
  const refundId = await refund(dropped.id);
  await dateBack([matched, dropped]);
  await change(`orders/${dropped.orderId}/drop`);
  await reconcile('--rail', 'xendit');
  t.strictSame(await tasksOf(matched.id), []);
  t.match(await tasksOf(dropped.id), [
    { details: { difference: 'missing', field: 'refund', refundId } },
  ]);
});

t.test('money of an unknown order that cannot be inquired about is booked at once', async (t) => {
  const orphan = (await simulated.control('POST', 'orphans', {
    ...{ rail: 'xendit', method: 'VA_BCA', amount: '77000', paid_at: before },
  })) as { orderId: string };
  await simulated.control('POST', `orders/${orphan.orderId}/amend`, { product_id: 'qrpy_77' });
  for (const round of ['found', 'found again']) {
    await reconcile('--rail', 'xendit');
    const rows = await sql<{ details: string }[]>`
      select details from operator_tasks where kind = 'unknown_order'`;
    t.match(
      rows.map(({ details }) => JSON.parse(details) as object),
      [{ railTransactionId: 'qrpy_77', orderId: orphan.orderId, amount: '77000' }],
      round,
    );
  }
  const [suspense] = await sql`
    select amount::text from balances where account = 'platform_suspense:LIVE:IDR'`;
  t.equal(suspense?.['amount'], '77000');
});

t.test('an inquiry that reconciliation asked for is repeated soon when it fails', async (t) => {
  const { body } = await service.create('VA_BCA');
  const [id, orderId] = [String(body['id']), String(body['order_id'])];
  await change('pay', { order_id: orderId });
  await simulated.control('POST', `orders/${orderId}/amend`, { paid_at: before });
  const fault = { kind: 'server_error', operation: 'status', subject: orderId, times: 2 } as const;
  await simulated.plan(fault);
  await reconcile('--rail', 'xendit');
  await waitUntil('it is paid', async () => (await service.statusOf(id)) === 'paid');
  await simulated.plan();
  t.match(await tasksOf(id), [{ details: { booking: 'settlement', ours: 'pending' } }]);
});
