// Money that was given back, in Midtrans' status and callbacks.
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import {
  BY_ORDER,
  chargeFor,
  ORDER,
  signedCallback,
  standing,
  TRANSACTION,
} from '#test/support/rails/midtrans.js';
import { orderOf } from '#test/support/rails/orders.js';
import { scriptRails } from '#test/support/rails/scripted.js';

const { signal } = new AbortController();
const { midtrans, say } = await scriptRails(t);
const OURS = makeId('ref', Buffer.alloc(16, 7));
const refund = { refund_chargeback_id: 11, refund_amount: '4000.00', refund_key: OURS };
const dashboard = { refund_chargeback_id: 12, refund_amount: '5000.00', refund_key: 'dash-12' };
const chargeback = { refund_chargeback_id: 13, refund_amount: '6000.00' };

async function read(fields: object): Promise<unknown> {
  say({ [BY_ORDER]: standing(fields) });
  const answer = await midtrans.inquirePayment(orderOf(chargeFor(), null), signal);
  return answer.result === 'settled' ? answer.givenBack : answer;
}

t.test('refunds and chargebacks are told apart', async (t) => {
  const one = (
    railRefundId: string,
    refundKey: string | null,
    kind: string,
    amountMinor: bigint,
  ) => ({
    ...{ railRefundId, refundKey, kind, amountMinor },
  });
  const own = one('11', OURS, 'refund', 4_000n);
  const made = one('12', 'dash-12', 'refund', 5_000n);
  const status = (transaction_status: string, refunds: unknown) => ({
    transaction_status,
    refunds,
  });
  t.same(await read({ transaction_status: 'settlement' }), [], 'nothing was given back');
  t.same(await read(status('partial_refund', [refund, dashboard])), [own, made]);
  t.same(
    await read(status('partial_chargeback', [dashboard, chargeback])),
    [made, one('13', null, 'chargeback', 6_000n)],
    'a chargeback has no key',
  );
  t.same(
    await read(status('chargeback', [refund, dashboard])),
    [own, { ...made, kind: 'chargeback' }],
    'the last one, if all have keys',
  );
  t.equal(
    await read(status('partial_chargeback', [refund])),
    null,
    'a refund of ours is no chargeback: the list lags behind the status',
  );
  t.same(await read(status('refund', [{ refund_key: 'dash-9', refund_amount: 7 }])), [
    one('dash-9', 'dash-9', 'refund', 7n),
  ]);
});

t.test(
  'a status without a list names one refund or chargeback, if it tells how much',
  async (t) => {
    const whole = { railRefundId: TRANSACTION, refundKey: null, amountMinor: 275_000n };
    t.same(await read({ transaction_status: 'chargeback' }), [{ ...whole, kind: 'chargeback' }]);
    t.same(await read({ transaction_status: 'refund' }), [{ ...whole, kind: 'refund' }]);
    t.same(await read({ transaction_status: 'partial_chargeback', refund_amount: '9.00' }), [
      { ...whole, kind: 'chargeback', amountMinor: 9n },
    ]);
    t.equal(await read({ transaction_status: 'partial_refund' }), null);
  },
);

t.test('fields without a value hide no money that arrived or was given back', async (t) => {
  const empty = { refund_chargeback_id: null, refund_key: 'dash-9', refund_amount: 7 };
  t.match(await read({ transaction_status: 'refund', refunds: [empty] }), [
    { railRefundId: 'dash-9', refundKey: 'dash-9', kind: 'refund', amountMinor: 7n },
  ]);
  const disputed = { ...chargeback, refund_key: null };
  t.match(await read({ transaction_status: 'chargeback', refunds: [disputed] }), [
    { railRefundId: '13', refundKey: null, kind: 'chargeback', amountMinor: 6_000n },
  ]);
  const nothing = { refunds: null, refund_amount: null, payment_amounts: null, currency: null };
  t.same(await read({ transaction_status: 'settlement', ...nothing }), [], 'it is settled');
});

t.test('entries that are not understood leave the whole answer unknown', async (t) => {
  for (const refunds of [
    'none',
    [{ ...refund, refund_amount: '1.50' }],
    [{ refund_amount: '1.00' }],
    [{ ...refund, refund_chargeback_id: {} }],
  ]) {
    t.equal(await read({ transaction_status: 'partial_refund', refunds }), null);
  }
});

t.test('a callback about a refund of the dashboard, or a chargeback, is about its order', (t) => {
  const callback = (transaction_status: string, refunds: readonly object[] | null) => {
    const signed = { order_id: ORDER, status_code: '200', gross_amount: '275000.00' };
    const empty = { transaction_id: null, currency: null, payment_amounts: null };
    const fields = signedCallback({ ...signed, ...empty, transaction_status, refunds });
    const body = Buffer.from(JSON.stringify(fields));
    return midtrans.readCallback({ headers: {}, body });
  };
  t.match(callback('partial_refund', [refund]), { subject: { kind: 'refund', refundId: OURS } });
  const order = {
    result: 'genuine',
    reports: 'given_back',
    subject: { kind: 'order', orderId: ORDER },
  };
  t.match(callback('partial_refund', [refund, dashboard]), order);
  t.match(callback('partial_chargeback', [refund, chargeback]), order);
  t.match(callback('partial_refund', [{ ...dashboard, refund_key: null }]), order);
  t.match(callback('partial_refund', null), order, 'a list without a value');
  t.end();
});
