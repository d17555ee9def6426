// Refunds and chargebacks that a rail made by itself, recorded by an approved correction.
import t from 'tap';
import { deriveRecordedRefundId, parseRefundId } from '#actors/core/ids.js';
import { computeRefundableMinor } from '#actors/core/payment/state.js';
import { formatTime, viewPayment, viewRefund } from '#actors/core/payment/view.js';
import { given, paymentAfter, tell } from '#test/support/given-when-then.js';
import {
  ACCEPTED,
  account,
  AMOUNT,
  chargeAnswered,
  choose,
  create,
  endRefund,
  erase,
  PAYMENT_ID,
  posting,
  RAIL_CLEARING,
  recordRefund,
  refund,
  REFUND_2,
  REFUND_3,
  refundAnswered,
  reverse,
  settle,
} from './samples.js';

const paid = [create('LIVE'), choose('VA_BNI'), chargeAnswered(ACCEPTED), settle()];
const chargeback = (amount: bigint) =>
  recordRefund(amount, { refundId: REFUND_2, origin: 'chargeback', externalReference: 'cb-1' });

t.test('a payment names what the bank took back, and nothing of other refunds', (t) => {
  const view = (...more: ReturnType<typeof recordRefund>[]) =>
    viewPayment(paymentAfter(tell(...paid, ...more))).charged_back_amount;
  t.equal(view(), undefined);
  t.equal(view(recordRefund(40_000n)), undefined);
  t.equal(view(recordRefund(40_000n), chargeback(10_000n)), '10000');
  t.end();
});

t.test('a refund that the rail made by itself is taken from the merchant and told', (t) => {
  const { effects, events } = given(tell(...paid))
    .when(recordRefund(40_000n))
    .then('done', 'refund_recorded');
  const moved = posting(account('merchant_available'), RAIL_CLEARING, 40_000n, 'refund_recorded');
  t.match(effects[0]?.postings, [moved]);
  t.match(effects[0], { railCalls: { length: 0 }, tasks: { length: 0 }, answers: { length: 0 } });
  t.match(effects[0]?.webhook, {
    type: 'payment.refunded',
    data: { refund_id: REFUND_3, refund_amount: '40000', refunded_amount: '40000', status: 'paid' },
  });
  const after = paymentAfter([...tell(...paid), ...events]);
  t.equal(computeRefundableMinor(after), AMOUNT - 40_000n);
  const [recorded] = after.refunds;
  t.match(recorded && viewRefund(after, recorded), {
    origin: 'rail',
    status: 'SUCCEEDED',
    amount: '40000',
    reason: null,
    completed_at: formatTime(after.refunds[0]?.completedAtMs ?? null),
  });
  t.end();
});

t.test(
  'a chargeback has its own reason in the ledger, and completes the refund of a payment',
  (t) => {
    const partly = tell(...paid, recordRefund(40_000n));
    const { state, effects } = given(partly)
      .when(chargeback(110_000n))
      .then('done', 'refund_recorded');
    t.equal(state?.status, 'refunded');
    const moved = posting(account('merchant_available'), RAIL_CLEARING, 110_000n, 'charged_back');
    t.match(effects[0]?.postings, [moved]);
    t.end();
  },
);

t.test('the same record has no effect, and another amount or origin is a conflict', (t) => {
  const recorded = tell(...paid, recordRefund(40_000n));
  given(recorded).when(recordRefund(40_000n)).then('unchanged');
  given(recorded).when(recordRefund(40_001n)).then('idempotency_conflict');
  given(recorded)
    .when(recordRefund(40_000n, { origin: 'chargeback' }))
    .then('idempotency_conflict');
  t.end();
});

t.test('a record needs a paid payment that has so much left', (t) => {
  given(tell(...paid))
    .when(recordRefund(AMOUNT + 1n))
    .then('refund_exceeds_payment');
  given(tell(...paid))
    .when(recordRefund(0n))
    .then('refund_exceeds_payment');
  given(tell(...paid, reverse()))
    .when(recordRefund(1n))
    .then('state_conflict');
  given(tell(create('LIVE')))
    .when(recordRefund(1n))
    .then('state_conflict');
  const asked = tell(...paid, refund(100_000n));
  given(asked).when(recordRefund(50_001n)).then('refund_exceeds_payment');
  given(asked).when(recordRefund(50_000n)).then('done', 'refund_recorded');
  t.end();
});

t.test('one movement of money is booked once, by a completion or by a record', (t) => {
  const manual = [...paid, refund(40_000n), refundAnswered({ result: 'manual_required' })];
  const completed = tell(...manual, endRefund('complete_refund', 'dash-1'));
  given(completed).when(recordRefund(40_000n)).then('state_conflict');
  given(completed)
    .when(recordRefund(40_000n, { externalReference: 'dash-2' }))
    .then('done', 'refund_recorded');
  const recorded = tell(...manual, recordRefund(40_000n));
  given(recorded).when(endRefund('complete_refund', 'dash-1')).then('state_conflict');
  given(recorded).when(endRefund('complete_refund', 'bank-1')).then('done', 'refund_succeeded');
  t.end();
});

t.test('a reversal takes back only the part that no record has refunded', (t) => {
  const { effects } = given(tell(...paid, recordRefund(40_000n)))
    .when(reverse())
    .then('done', 'payment_reversed');
  const moved = posting(account('merchant_available'), RAIL_CLEARING, 110_000n, 'payment_reversed');
  t.match(effects[0]?.postings, [moved]);
  t.end();
});

t.test('a recorded refund stays as it is when the rail answers or its payment is erased', (t) => {
  const recorded = tell(...paid, recordRefund(40_000n));
  const answer = refundAnswered({ result: 'failed' }, REFUND_3);
  given(recorded).when(answer).then('unchanged');
  const erased = paymentAfter([...recorded, ...given(recorded).when(erase(true)).events]);
  t.match(erased.refunds, [{ origin: 'rail', externalReference: 'dash-1', status: 'succeeded' }]);
  t.end();
});

t.test('the id of a record follows from the payment, the rail and its reference', (t) => {
  const id = deriveRecordedRefundId(PAYMENT_ID, 'midtrans', 'dash-1');
  t.equal(parseRefundId(id), id);
  t.equal(deriveRecordedRefundId(PAYMENT_ID, 'midtrans', 'dash-1'), id);
  t.not(deriveRecordedRefundId(PAYMENT_ID, 'xendit', 'dash-1'), id);
  t.end();
});
