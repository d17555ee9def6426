import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import { given, paymentAfter, START_MS, tell } from '#test/support/given-when-then.js';
import {
  ACCEPTED,
  AMOUNT,
  chargeAnswered,
  choose,
  create,
  endRefund,
  MERCHANT_ID,
  ORDER_1,
  PAYMENT_ID,
  RAIL_CLEARING,
  refund,
  REFUND_1,
  REFUND_2,
  REFUND_3,
  refundAnswered,
  settle,
  simulate,
  UNKNOWN,
} from './samples.js';

const paid = [create('LIVE'), choose('VA_BNI'), chargeAnswered(ACCEPTED), settle()];
const SUCCEEDED = { result: 'succeeded', railReference: 'r-1' } as const;
const FAILED = { result: 'failed' } as const;
const MANUAL = { result: 'manual_required' } as const;
const waiting = (refundId: string) => ({
  waiter: `refund:${refundId}`,
  first: 'created',
  others: 'replayed',
});
const available = `merchant_available:${MERCHANT_ID}:LIVE:IDR`;
const clearing = `refund_clearing:${MERCHANT_ID}:LIVE:IDR`;
const second = (amount: bigint) => refund(amount, { refundId: REFUND_2 });

t.test('a LIVE refund reserves its amount and calls the rail', (t) => {
  const { state, effects } = given(tell(...paid))
    .when(refund(50_000n))
    .then('waiting', 'refund_requested', 'refund_submitted');
  t.strictSame(state?.refunds, [
    {
      id: REFUND_1,
      origin: 'merchant',
      status: 'asked',
      amountMinor: 50_000n,
      requestedMinor: 50_000n,
      reason: 'wrong size',
      referenceId: null,
      externalReference: null,
      createdAtMs: START_MS + 1000,
      askedAtMs: START_MS + 1000,
      completedAtMs: null,
      isLeftPending: false,
      isContradicted: false,
      isFailureConfirmed: false,
      isPaidByHand: false,
    },
  ]);
  t.match(effects[0]?.postings, [{ debit: available, credit: clearing, amountMinor: 50_000n }]);
  t.strictSame(effects[1]?.railCalls, [
    {
      id: `call_${PAYMENT_ID.slice(4)}000600`,
      paymentId: PAYMENT_ID,
      rail: 'midtrans',
      orderId: ORDER_1,
      operation: 'refund',
      refundId: REFUND_1,
      method: 'VA_BNI',
      railReference: 'rail-ref-1',
      railTransactionId: 'tx-1',
      amountMinor: 50_000n,
      currency: 'IDR',
    },
  ]);
  t.end();
});

t.test('a partial refund that succeeds leaves the payment paid', (t) => {
  const { state, effects } = given(tell(...paid, refund(50_000n)))
    .when(refundAnswered(SUCCEEDED))
    .then('done', 'refund_succeeded');
  t.match(state, { status: 'paid', refundedAtMs: null });
  t.match(state?.refunds[0], { status: 'succeeded', completedAtMs: START_MS + 1000 });
  t.match(effects[0]?.webhook, {
    type: 'payment.refunded',
    data: {
      status: 'paid',
      refunded_amount: '50000',
      refund_id: REFUND_1,
      refund_amount: '50000',
    },
  });
  t.match(effects[0]?.postings, [
    { debit: clearing, credit: 'rail_clearing:midtrans:LIVE:IDR', amountMinor: 50_000n },
  ]);
  t.same(effects[0]?.answers, [waiting(REFUND_1)]);
  t.end();
});

t.test('refunds of the whole amount make the payment refunded', (t) => {
  const { state, effects } = given(tell(...paid, refund()))
    .when(refundAnswered(SUCCEEDED))
    .then('done', 'refund_succeeded');
  t.match(state, { status: 'refunded', refundedAtMs: START_MS + 1000 });
  t.match(effects[0]?.webhook?.data, { status: 'refunded', refunded_amount: '150000' });
  const parts = tell(...paid, refund(50_000n), refundAnswered(SUCCEEDED), second(100_000n));
  const { state: ofParts } = given(parts).when(refundAnswered(SUCCEEDED, REFUND_2));
  t.equal(ofParts?.status, 'refunded');
  t.end();
});

t.test('a refund that the rail fails returns its reserve to the merchant', (t) => {
  const { state, effects } = given(tell(...paid, refund(50_000n)))
    .when(refundAnswered(FAILED))
    .then('done', 'refund_failed');
  t.match(state?.refunds[0], { status: 'failed', completedAtMs: null });
  t.match(effects[0]?.postings, [{ debit: clearing, credit: available, amountMinor: 50_000n }]);
  t.match(effects[0]?.webhook, {
    type: 'refund.failed',
    data: { status: 'paid', refunded_amount: '0', refund_id: REFUND_1, refund_amount: '50000' },
  });
  t.same(effects[0]?.answers, [waiting(REFUND_1)]);
  given(tell(...paid, refund(), refundAnswered(FAILED)))
    .when(refund(null, { refundId: REFUND_2 }))
    .then('waiting', 'refund_requested', 'refund_submitted');
  t.end();
});

t.test('a refund above the remaining amount is refund_exceeds_payment', (t) => {
  given(tell(...paid))
    .when(refund(150_001n))
    .then('refund_exceeds_payment');
  given(tell(...paid))
    .when(refund(0n))
    .then('refund_exceeds_payment');
  given(tell(...paid, refund(50_000n)))
    .when(second(100_001n))
    .then('refund_exceeds_payment');
  given(tell(...paid, refund(50_000n), refundAnswered(SUCCEEDED)))
    .when(second(100_001n))
    .then('refund_exceeds_payment');
  given(tell(...paid, refund()))
    .when(refund(null, { refundId: REFUND_2 }))
    .then('refund_exceeds_payment');
  const { state } = given(tell(...paid, refund(50_000n))).when(
    refund(null, { refundId: REFUND_2 }),
  );
  t.equal(state?.refunds[1]?.amountMinor, 100_000n, 'without an amount: the remaining one');
  t.end();
});

t.test('a second refund queues until the rail has answered the first', (t) => {
  const queued = given(tell(...paid, refund(50_000n)))
    .when(second(60_000n))
    .then('created', 'refund_requested');
  t.equal(queued.state?.refunds[1]?.status, 'queued');
  for (const answer of [SUCCEEDED, FAILED, MANUAL]) {
    const { state, effects } = given(tell(...paid, refund(50_000n), second(60_000n))).when(
      refundAnswered(answer),
    );
    t.equal(state?.refunds[1]?.status, 'asked', answer.result);
    t.match(effects[1]?.railCalls, [{ operation: 'refund', refundId: REFUND_2 }]);
  }
  given(tell(...paid, refund(50_000n), second(60_000n)))
    .when(refundAnswered(SUCCEEDED, REFUND_2))
    .then('unchanged');
  const manual = tell(...paid, refund(50_000n), refundAnswered(MANUAL));
  given(manual).when(second(60_000n)).then('waiting', 'refund_requested', 'refund_submitted');
  t.end();
});

t.test('a pending or unknown refund is answered once as PENDING', (t) => {
  const pending = { result: 'pending', railReference: 'r-1' } as const;
  for (const answer of [UNKNOWN, pending]) {
    const { state, effects } = given(tell(...paid, refund()))
      .when(refundAnswered(answer))
      .then('done', 'refund_left_pending');
    t.match(state?.refunds[0], { status: 'asked', isLeftPending: true });
    t.same(effects[0]?.answers, [waiting(REFUND_1)]);
    const left = tell(...paid, refund(), refundAnswered(answer));
    given(left).when(refundAnswered(UNKNOWN)).then('unchanged');
    given(left).when(refund()).then('replayed');
    given(left).when(refundAnswered(SUCCEEDED)).then('done', 'refund_succeeded');
  }
  t.end();
});

t.test('a refund that the rail cannot make is completed by an administrator', (t) => {
  const { effects } = given(tell(...paid, refund()))
    .when(refundAnswered(MANUAL))
    .then('done', 'refund_made_manual');
  t.match(effects[0]?.tasks, [
    { kind: 'refund_manual_required', details: { refundId: REFUND_1, amount: '150000' } },
  ]);
  t.same(effects[0]?.answers, [waiting(REFUND_1)]);
  const manual = tell(...paid, refund(), refundAnswered(MANUAL));
  const { state, effects: ofCompletion } = given(manual)
    .when(endRefund('complete_refund'))
    .then('done', 'refund_succeeded');
  t.equal(state?.status, 'refunded');
  t.match(state?.refunds[0], { externalReference: 'bank-77', isPaidByHand: true });
  const bank = 'rail_clearing:manual:LIVE:IDR';
  t.match(ofCompletion[0]?.postings, [{ debit: clearing, credit: bank }], 'the bank paid it');
  const completed = [...manual, ...given(manual).when(endRefund('complete_refund')).events];
  given(completed).when(endRefund('complete_refund')).then('unchanged');
  given(completed).when(endRefund('complete_refund', 'bank-78')).then('state_conflict');
  given(completed).when(endRefund('fail_refund')).then('state_conflict');
  t.end();
});

t.test('a manual refund that the rail makes all the same is posted to the rail', (t) => {
  const { state, effects } = given(tell(...paid, refund(), refundAnswered(MANUAL)))
    .when(refundAnswered(SUCCEEDED))
    .then('done', 'refund_succeeded');
  t.equal(state?.refunds[0]?.isPaidByHand, false);
  t.match(effects[0]?.postings, [{ debit: clearing, credit: RAIL_CLEARING }]);
  t.end();
});

t.test('a refund that the rail cannot make is failed by an administrator', (t) => {
  const manual = tell(...paid, refund(), refundAnswered(MANUAL));
  const { state } = given(manual).when(endRefund('fail_refund')).then('done', 'refund_failed');
  t.match(state, { status: 'paid', refunds: [{ status: 'failed', externalReference: 'bank-77' }] });
  const failed = [...manual, ...given(manual).when(endRefund('fail_refund')).events];
  given(failed).when(endRefund('fail_refund')).then('unchanged');
  given(failed).when(endRefund('complete_refund')).then('state_conflict');
  given(manual)
    .when(endRefund('fail_refund', 'bank-77', REFUND_3))
    .then('refund_not_found');
  given(tell(...paid, refund()))
    .when(endRefund('fail_refund'))
    .then('state_conflict');
  t.end();
});

t.test('a repeated refund is replayed, and with other fields idempotency_conflict', (t) => {
  const asked = tell(...paid, refund(50_000n));
  given(asked).when(refund(50_000n)).then('waiting');
  const done = tell(...paid, refund(50_000n), refundAnswered(SUCCEEDED));
  given(done).when(refund(50_000n)).then('replayed');
  for (const other of [
    refund(50_001n),
    refund(null),
    refund(50_000n, { reason: 'late' }),
    refund(50_000n, { referenceId: 'r' }),
  ]) {
    given(done).when(other).then('idempotency_conflict');
  }
  const whole = tell(...paid, refund(), refundAnswered(SUCCEEDED));
  given(whole).when(refund()).then('replayed');
  given(whole).when(refund(AMOUNT)).then('idempotency_conflict');
  t.end();
});

const test = (amount: bigint) => create('TEST', { amountMinor: makeMinor(amount) });
const inTest = { environment: 'TEST' } as const;

t.test('a TEST refund succeeds at once', (t) => {
  const { state, effects } = given(tell(test(150_000n), simulate('paid')))
    .when(refund(50_000n, inTest))
    .then('created', 'refund_requested', 'refund_succeeded');
  t.equal(state?.refunds[0]?.status, 'succeeded');
  t.same(effects[1]?.answers, []);
  t.equal(effects[1]?.webhook?.type, 'payment.refunded');
  t.end();
});

t.test('a TEST refund of a payment of 10094 requires an administrator', (t) => {
  const magic = [test(10_094n), simulate('paid')];
  const { effects } = given(tell(...magic))
    .when(refund(5000n, inTest))
    .then('created', 'refund_requested', 'refund_made_manual');
  t.equal(effects[1]?.tasks.length, 1);
  given(tell(...magic, refund(5000n, inTest)))
    .when(endRefund('complete_refund'))
    .then('done', 'refund_succeeded');
  t.end();
});

t.test('the 51st refund of a payment is refund_limit_reached', (t) => {
  const ids = Array.from({ length: 51 }, (_, index) =>
    makeId(
      'ref',
      Uint8Array.from({ length: 16 }, () => index),
    ),
  );
  const refunds = ids.slice(0, 50).map((refundId) => refund(1n, { ...inTest, refundId }));
  const full = tell(test(150_000n), simulate('paid'), ...refunds);
  t.equal(paymentAfter(full).refunds.length, 50);
  given(full)
    .when(refund(1n, { ...inTest, refundId: ids[50] ?? REFUND_1 }))
    .then('refund_limit_reached');
  t.end();
});
