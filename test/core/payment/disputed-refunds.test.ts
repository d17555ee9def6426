// Refunds that are booked as failed and that their rail reports as made.
import t from 'tap';
import { computeRefundableMinor } from '#actors/core/payment/state.js';
import { given, paymentAfter, tell } from '#test/support/given-when-then.js';
import {
  ACCEPTED,
  AMOUNT,
  chargeAnswered,
  choose,
  create,
  endRefund,
  MERCHANT_ID,
  refund,
  REFUND_1,
  REFUND_2,
  REFUND_3,
  refundAnswered,
  reverse,
  settle,
} from './samples.js';

const paid = [create('LIVE'), choose('VA_BNI'), chargeAnswered(ACCEPTED), settle()];
const SUCCEEDED = { result: 'succeeded', railReference: 'r-1' } as const;
const FAILED = { result: 'failed' } as const;
const MANUAL = { result: 'manual_required' } as const;
const available = `merchant_available:${MERCHANT_ID}:LIVE:IDR`;
const second = (amount: bigint) => refund(amount, { refundId: REFUND_2 });
const DISPUTED = [...paid, refund(50_000n), refundAnswered(FAILED), refundAnswered(SUCCEEDED)];

t.test('a refund that its rail reports as made counts against the refundable amount', (t) => {
  const disputed = tell(...DISPUTED);
  t.equal(computeRefundableMinor(paymentAfter(disputed)), 100_000n);
  given(disputed).when(second(100_001n)).then('refund_exceeds_payment');
  given(disputed).when(second(100_000n)).then('waiting', 'refund_requested', 'refund_submitted');
  t.end();
});

t.test('a disputed refund is corrected by an administrator', (t) => {
  const disputed = tell(...DISPUTED);
  const { state, effects, events } = given(disputed)
    .when(endRefund('complete_refund'))
    .then('done', 'refund_corrected');
  t.match(state?.refunds, [{ status: 'succeeded', externalReference: 'bank-77' }]);
  const rail = 'rail_clearing:midtrans:LIVE:IDR';
  t.match(effects[0]?.postings, [
    { debit: available, credit: rail, amountMinor: 50_000n, reason: 'refund_corrected' },
  ]);
  t.match(effects[0]?.webhook, {
    type: 'payment.refunded',
    data: { refund_id: REFUND_1, refund_amount: '50000', refunded_amount: '50000' },
  });
  const corrected = [...disputed, ...events];
  given(corrected).when(endRefund('complete_refund')).then('unchanged');
  given(corrected).when(refundAnswered(SUCCEEDED)).then('unchanged');
  given(corrected).when(endRefund('fail_refund')).then('state_conflict');
  const rest = [...corrected, ...given(corrected).when(second(100_000n)).events];
  const { state: whole } = given(rest)
    .when(refundAnswered(SUCCEEDED, REFUND_2))
    .then('done', 'refund_succeeded');
  t.equal(whole?.status, 'refunded');
  t.end();
});

t.test('the failure of a disputed refund is confirmed by an administrator', (t) => {
  const disputed = tell(...DISPUTED);
  const { state, effects, events } = given(disputed)
    .when(endRefund('fail_refund'))
    .then('done', 'refund_failure_confirmed');
  t.match(state?.refunds, [{ status: 'failed', externalReference: 'bank-77' }]);
  t.match(effects[0], { postings: { length: 0 }, tasks: { length: 0 }, webhook: null });
  const confirmed = [...disputed, ...events];
  t.equal(computeRefundableMinor(paymentAfter(confirmed)), AMOUNT);
  given(confirmed).when(endRefund('fail_refund')).then('unchanged');
  given(confirmed).when(endRefund('complete_refund')).then('state_conflict');
  given(confirmed).when(refundAnswered(SUCCEEDED)).then('unchanged');
  t.end();
});

t.test('a repeat of the command that failed a refund does not confirm its failure', (t) => {
  const failed = tell(
    ...[...paid, refund(), refundAnswered(MANUAL), endRefund('fail_refund')],
    refundAnswered(SUCCEEDED),
  );
  given(failed).when(endRefund('fail_refund')).then('unchanged');
  given(failed).when(endRefund('complete_refund')).then('done', 'refund_corrected');
  t.end();
});

t.test('a correction needs a paid payment that has so much left', (t) => {
  const over = [...DISPUTED, second(100_000n), refundAnswered(SUCCEEDED, REFUND_2)];
  const third = refund(1n, { refundId: REFUND_3 });
  given(tell(...over))
    .when(third)
    .then('refund_exceeds_payment');
  const beyond = tell(
    ...[...paid, refund(50_000n), refundAnswered(FAILED), second(AMOUNT)],
    ...[refundAnswered({ result: 'pending', railReference: null }, REFUND_2)],
    refundAnswered(SUCCEEDED),
  );
  t.equal(computeRefundableMinor(paymentAfter(beyond)), 0n, 'not below zero');
  given(beyond).when(endRefund('complete_refund')).then('state_conflict');
  const reversed = tell(...DISPUTED, reverse());
  given(reversed).when(endRefund('complete_refund')).then('state_conflict');
  given(reversed).when(endRefund('fail_refund')).then('done', 'refund_failure_confirmed');
  t.end();
});

t.test('a failed refund that the rail reports as succeeded opens one task', (t) => {
  const failed = tell(...paid, refund(), refundAnswered(FAILED));
  const { state, effects } = given(failed)
    .when(refundAnswered(SUCCEEDED))
    .then('done', 'refund_contradicted');
  t.equal(state?.refunds[0]?.status, 'failed');
  t.match(effects[0]?.tasks, [{ kind: 'refund_contradicted', details: { refundId: REFUND_1 } }]);
  t.same(effects[0]?.postings, []);
  const told = [...failed, ...given(failed).when(refundAnswered(SUCCEEDED)).events];
  given(told).when(refundAnswered(SUCCEEDED)).then('unchanged');
  given(failed).when(refundAnswered(FAILED)).then('unchanged');
  t.end();
});
