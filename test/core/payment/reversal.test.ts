import t from 'tap';
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { given, START_MS, tell } from '#test/support/given-when-then.js';
import {
  ACCEPTED,
  account,
  AMOUNT,
  chargeAnswered,
  choose,
  create,
  endRefund,
  PAYMENT_ID,
  posting,
  RAIL_CLEARING as rail,
  refund,
  REFUND_1,
  REFUND_2,
  refundAnswered,
  reverse,
  settle,
} from './samples.js';

const NOW_MS = START_MS + 1000;
const open = [create('LIVE'), choose('VA_BNI'), chargeAnswered(ACCEPTED)];
const paid = [...open, settle()];
const held = [create('LIVE'), choose('QRIS'), chargeAnswered(ACCEPTED), settle()];

t.test('a reversal of suspended money takes it from suspense with a task', (t) => {
  const { state, effects } = given(tell(...paid, settle('tx-2')))
    .when(reverse('tx-2'))
    .then('done', 'suspense_reversed');
  t.equal(state?.status, 'paid');
  t.strictSame(effects[0]?.postings, [
    posting(account('suspense'), rail, AMOUNT, 'suspense_reversed'),
  ]);
  t.match(effects[0]?.tasks, [
    { kind: 'suspense_reversed', details: { rail: 'midtrans', railTransactionId: 'tx-2' } },
  ]);
  given(tell(...paid, settle('tx-2'), reverse('tx-2')))
    .when(reverse('tx-2'))
    .then('unchanged');
  t.end();
});

t.test('a reversal makes the payment failed and returns its money to the rail', (t) => {
  const { state, effects } = given(tell(...paid))
    .when(reverse())
    .then('done', 'payment_reversed');
  t.match(state, { status: 'failed', failureCode: 'reversed', failedAtMs: NOW_MS });
  t.match(effects[0]?.webhook, {
    type: 'payment.failed',
    data: { status: 'failed', failure_code: 'reversed' },
  });
  t.strictSame(effects[0]?.postings, [
    posting(account('merchant_available'), rail, AMOUNT, 'payment_reversed'),
  ]);
  t.same(effects[0]?.tasks, []);
  given(tell(...paid, reverse()))
    .when(reverse())
    .then('unchanged');
  const { effects: ofHeld } = given(tell(...held)).when(reverse());
  t.equal(
    ofHeld[0]?.postings[0]?.debit,
    account('merchant_pending'),
    'from the account that holds it',
  );
  t.end();
});

t.test('a reversal returns the unrefunded part only and opens a task for open refunds', (t) => {
  const succeeded = refundAnswered({ result: 'succeeded', railReference: null });
  const history = tell(
    ...paid,
    refund(20_000n),
    succeeded,
    refund(30_000n, { refundId: REFUND_2 }),
  );
  const { state, effects } = given(history).when(reverse()).then('done', 'payment_reversed');
  t.strictSame(effects[0]?.postings, [
    posting(account('refund_clearing'), rail, 30_000n, 'payment_reversed'),
    posting(account('merchant_available'), rail, 100_000n, 'payment_reversed'),
  ]);
  t.match(effects[0]?.tasks, [
    { kind: 'refund_on_reversed_payment', details: { refundId: REFUND_2, amount: '30000' } },
  ]);
  t.equal(effects[0]?.tasks.length, 1);
  t.same(effects[0]?.answers, [
    { waiter: `refund:${REFUND_2}`, first: 'created', others: 'replayed' },
  ]);
  t.same(
    state?.refunds.map(({ status }) => status),
    ['succeeded', 'manual_required'],
  );
  const reversed = [...history, ...given(history).when(reverse()).events];
  const late = given(reversed)
    .when(refundAnswered({ result: 'succeeded', railReference: null }, REFUND_2))
    .then('done', 'refund_succeeded');
  t.strictSame(late.effects[0]?.postings, [
    posting(account('suspense'), rail, 30_000n, 'refund_succeeded'),
  ]);
  t.equal(late.state?.status, 'failed');
  const ended = given(reversed)
    .when(endRefund('fail_refund', 'bank-77', REFUND_2))
    .then('done', 'refund_failed');
  t.same(ended.effects[0]?.postings, [], 'its reserve is at the rail already');
  t.end();
});

t.test('a reversal after a refund by hand takes that amount from suspense, with a task', (t) => {
  const manual = tell(...paid, refund(20_000n), refundAnswered({ result: 'manual_required' }));
  const history = [...manual, ...given(manual).when(endRefund('complete_refund')).events];
  const { effects } = given(history).when(reverse()).then('done', 'payment_reversed');
  t.strictSame(
    effects[0]?.postings,
    [
      posting(account('merchant_available'), rail, 130_000n, 'payment_reversed'),
      posting(account('suspense'), rail, 20_000n, 'payment_reversed'),
    ],
    'the rail knows nothing of the refund and takes back the whole amount',
  );
  t.match(effects[0]?.tasks, [
    { kind: 'refund_on_reversed_payment', details: { refundId: REFUND_1, amount: '20000' } },
  ]);
  t.end();
});

t.test('a whole refund that succeeds after a reversal leaves the payment failed', (t) => {
  const { state } = given(tell(...paid, refund(), reverse()))
    .when(refundAnswered({ result: 'succeeded', railReference: null }))
    .then('done', 'refund_succeeded');
  t.match(state, { status: 'failed', failureCode: 'reversed', refundedAtMs: null });
  t.end();
});

t.test('each open refund of a reversed payment has a task of its own', (t) => {
  const { effects } = given(
    tell(...paid, refund(20_000n), refund(30_000n, { refundId: REFUND_2 })),
  ).when(reverse());
  t.same(
    effects[0]?.tasks.map(({ id, details }) => [id.slice(-2), details.refundId]),
    [
      ['00', REFUND_1],
      ['01', REFUND_2],
    ],
  );
  t.end();
});

t.test('a reversal of a payment refunded in full posts nothing and opens a task', (t) => {
  const refunded = tell(
    ...paid,
    refund(),
    refundAnswered({ result: 'succeeded', railReference: null }),
  );
  const whole = given(refunded).when(reverse()).then('done', 'reversal_unapplied');
  t.equal(whole.state?.status, 'refunded');
  t.same(whole.effects[0]?.postings, []);
  t.match(whole.effects[0]?.tasks, [
    { kind: 'reversal_unapplied', details: { railTransactionId: 'tx-1', reason: 'refunded' } },
  ]);
  given([...refunded, ...whole.events])
    .when(reverse())
    .then('unchanged');
  t.end();
});

t.test('a settlement that arrives after its reversal has no effect', (t) => {
  const early = given(tell(...open))
    .when(reverse())
    .then('done', 'reversal_unapplied');
  t.match(early.effects[0]?.tasks, [{ details: { reason: 'transaction_unknown' } }]);
  given(tell(...open, reverse()))
    .when(settle())
    .then('unchanged');
  given(tell(...open, reverse()))
    .when(settle('tx-2'))
    .then('done', 'payment_paid');
  t.end();
});

t.test('a reversal of the payment leaves other suspended money in suspense', (t) => {
  const { state } = given(tell(...paid, settle('tx-2')))
    .when(reverse())
    .then('done', 'payment_reversed');
  t.same(
    state?.railTransactions.map(({ id, state }) => [id, state]),
    [
      ['tx-1', 'reversed'],
      ['tx-2', 'suspended'],
    ],
  );
  t.end();
});

t.test('a reversal applies to the transaction of its own rail only', (t) => {
  const both = tell(...paid, settle('tx-1', { rail: 'xendit' }));
  const command: PaymentCommand = {
    type: 'reverse',
    paymentId: PAYMENT_ID,
    rail: 'xendit',
    railTransactionId: 'tx-1',
  };
  const { state } = given(both).when(command).then('done', 'suspense_reversed');
  t.equal(state?.status, 'paid');
  t.same(
    state?.railTransactions.map(({ rail: name, state }) => [name, state]),
    [
      ['midtrans', 'captured'],
      ['xendit', 'reversed'],
    ],
  );
  t.end();
});
