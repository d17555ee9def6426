// The rail simulator acts without the service: it gives money back, and never ends a payout.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { payoutOf } from '#test/support/rails/orders.js';
import { SIMULATED, simulateRails } from '#test/support/rails/simulator.js';

t.test('money given back without the service shows in both wire formats', async (t) => {
  const { control, simulator } = await simulateRails(t);
  const show = async (path: string, key: string) => {
    const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
    const response = await fetch(`${simulator.baseUrl}${path}`, { headers: { authorization } });
    return (await response.json()) as Record<string, unknown>;
  };
  const open = async (rail: string, method: string) =>
    (await control('POST', 'orphans', { rail, method, amount: '25000' })) as { orderId: string };

  const { orderId } = await open('midtrans', 'QRIS');
  const status = () => show(`/midtrans/v2/${orderId}/status`, SIMULATED.midtransServerKey);
  await control('POST', `orders/${orderId}/refund`, { amount: '4000' });
  t.match(await status(), {
    transaction_status: 'partial_refund',
    refunds: [{ refund_key: /^dashboard-/, refund_amount: '4000.00' }],
  });
  await control('POST', `orders/${orderId}/chargeback`, { amount: '5000' });
  t.match(await status(), {
    transaction_status: 'partial_chargeback',
    refund_amount: '9000.00',
    refunds: [Object, { refund_key: undefined, refund_amount: '5000.00' }],
  });
  await t.rejects(control('POST', `orders/${orderId}/chargeback`, { amount: '16001' }), /left/);
  const whole = await open('midtrans', 'VA_BNI');
  await control('POST', `orders/${whole.orderId}/chargeback`, {});
  const { transaction_status: name } = await show(
    `/midtrans/v2/${whole.orderId}/status`,
    SIMULATED.midtransServerKey,
  );
  t.equal(name, 'chargeback');

  const listed = await open('xendit', 'QRIS');
  await control('POST', `orders/${listed.orderId}/refund`, { amount: '1000' });
  await control('POST', `orders/${listed.orderId}/chargeback`, {});
  const types = ['PAYMENT', 'REFUND', 'CHARGEBACK', 'DISBURSEMENT'].map((it) => `types=${it}`);
  const { data } = await show(`/xendit/transactions?${types.join('&')}`, SIMULATED.xenditSecretKey);
  const entries = (data as Record<string, unknown>[]).map((it) => [it['type'], it['amount']]);
  t.strictSame(entries.sort(), [
    ['CHARGEBACK', 24_000],
    ['PAYMENT', 25_000],
    ['REFUND', 1_000],
  ]);
});

t.test('a stuck payout is accepted, and ends only by the control API', async (t) => {
  const { xendit, control, plan } = await simulateRails(t);
  const order = payoutOf({ payoutId: 'po_1' });
  const { signal } = new AbortController();
  await plan({ kind: 'stuck', operation: 'payout' });
  t.match(await xendit.payOut(order, signal), { result: 'pending' });
  await plan();
  const later = payoutOf();
  await xendit.payOut(later, signal);
  await waitUntil('a later payout has ended', async () => {
    return (await xendit.inquirePayout(later, signal)).result === 'completed';
  });
  t.match(await xendit.inquirePayout(order, signal), { result: 'pending' });
  await control('POST', 'payouts/po_1', { status: 'SUCCEEDED' });
  t.match(await xendit.inquirePayout(order, signal), { result: 'completed' });
});
