import t from 'tap';
import { EXPIRY_GRACE_MS } from '#actors/core/payment/due.js';
import { given, paymentAfter, START_MS, tell } from '#test/support/given-when-then.js';
import {
  ACCEPTED,
  cancel,
  chargeAnswered,
  choose,
  closeAnswered,
  create,
  EXPIRE,
  EXPIRE_COMMAND,
  EXPIRES_AFTER_MS,
  fail,
  ORDER_1,
  ORDER_2,
  PAYMENT_ID,
  REFUSED,
  settle,
  UNKNOWN,
} from './samples.js';

const answer = (waiter: string, outcome: string) => ({ waiter, first: outcome, others: outcome });
const CLOSED = { result: 'closed' } as const;
const open = [create('LIVE'), choose('VA_BCA'), chargeAnswered(ACCEPTED)];
const creating = create('LIVE', { paymentMethod: 'QRIS' });
const cancelAsked = [...open, cancel()];
const expiryAsked = [...open, EXPIRE];

t.test('a LIVE cancel is recorded and asks the rail to close the order', (t) => {
  const { state, effects } = given(tell(...open))
    .when(cancel())
    .then('waiting', 'cancel_requested');
  t.equal(state?.status, 'pending');
  t.strictSame(effects[0]?.railCalls, [
    {
      id: `call_${PAYMENT_ID.slice(4)}000400`,
      paymentId: PAYMENT_ID,
      rail: 'midtrans',
      orderId: ORDER_1,
      operation: 'close',
      purpose: 'cancel',
      railReference: 'rail-ref-1',
    },
  ]);
  given(tell(...cancelAsked))
    .when(cancel())
    .then('waiting');
  t.end();
});

t.test('a closed order makes the payment cancelled', (t) => {
  const { state, effects } = given(tell(...cancelAsked))
    .when(closeAnswered(CLOSED))
    .then('done', 'attempt_closed', 'payment_cancelled');
  t.match(state, { status: 'cancelled', cancelledAtMs: START_MS + 1000, cancelRequest: null });
  t.equal(effects[1]?.webhook?.type, 'payment.cancelled');
  t.same(effects[1]?.answers[1], answer('cancel', 'done'));
  given(tell(...cancelAsked, closeAnswered(CLOSED)))
    .when(cancel())
    .then('unchanged');
  t.end();
});

t.test('a settlement during a cancel pays the payment and rejects the cancel', (t) => {
  for (const command of [
    settle(),
    closeAnswered({ result: 'settled', settlement: settle().settlement }),
  ]) {
    const { state, effects } = given(tell(...cancelAsked))
      .when(command)
      .then('done', 'payment_paid');
    t.match(state, { status: 'paid', isLate: false, cancelRequest: null });
    t.same(effects[0]?.answers[1], answer('cancel', 'state_conflict'));
  }
  t.end();
});

t.test('a refused close rejects the cancel, and a new cancel asks again', (t) => {
  const { state, effects } = given(tell(...cancelAsked))
    .when(closeAnswered(REFUSED))
    .then('done', 'cancel_refused');
  t.match(state, { status: 'pending', cancelRequest: null });
  t.same(effects[0]?.answers, [answer('cancel', 'state_conflict')]);
  given(tell(...cancelAsked, closeAnswered(REFUSED)))
    .when(cancel())
    .then('waiting', 'cancel_requested');
  t.end();
});

t.test('an unknown close answers outcome_unknown once, and an inquiry resolves it', (t) => {
  const { state, effects } = given(tell(...cancelAsked))
    .when(closeAnswered(UNKNOWN))
    .then('done', 'close_unconfirmed');
  t.match(state, { status: 'pending', cancelRequest: { isUnconfirmed: true } });
  t.same(effects[0]?.answers, [answer('cancel', 'outcome_unknown')]);
  const unconfirmed = tell(...cancelAsked, closeAnswered(UNKNOWN));
  given(unconfirmed).when(closeAnswered(UNKNOWN)).then('unchanged');
  given(unconfirmed).when(cancel()).then('waiting');
  given(unconfirmed)
    .when(closeAnswered(CLOSED))
    .then('done', 'attempt_closed', 'payment_cancelled');
  t.end();
});

t.test('a cancel or expiry during a charge is passed on after the charge is answered', (t) => {
  for (const [end, purpose] of [
    [cancel(), 'cancel'],
    [EXPIRE, 'expire'],
  ] as const) {
    const remembered = given(tell(creating)).when(end);
    t.same(remembered.effects[0]?.railCalls, [], 'no order to close yet');
    const { state, effects } = given(tell(creating, end))
      .when(chargeAnswered(ACCEPTED))
      .then('done', 'attempt_accepted');
    t.equal(state?.status, 'pending');
    t.match(effects[0]?.railCalls, [{ operation: 'close', purpose }]);
    t.equal(effects[0]?.answers[0]?.first, 'created');
  }
  t.end();
});

t.test('a LIVE expiry asks the rail, and the status follows its answer', (t) => {
  const { state, effects } = given(tell(...open))
    .when(EXPIRE)
    .then('done', 'expiry_requested');
  t.equal(state?.status, 'pending');
  t.match(effects[0]?.railCalls, [{ operation: 'close', purpose: 'expire' }]);
  const ended = given(tell(...expiryAsked))
    .when(closeAnswered(CLOSED, 'expire'))
    .then('done', 'attempt_closed', 'payment_failed');
  t.match(ended.state, { status: 'failed', failureCode: 'expired', failedAtMs: START_MS + 1000 });
  t.equal(ended.effects[1]?.webhook?.type, 'payment.failed');
  given(tell(...expiryAsked))
    .when(settle())
    .then('done', 'payment_paid');
  given(tell(...expiryAsked))
    .when(closeAnswered(REFUSED, 'expire'))
    .then('unchanged');
  given(tell(...expiryAsked))
    .when(closeAnswered(UNKNOWN, 'expire'))
    .then('unchanged');
  t.end();
});

t.test('a LIVE expiry without an answer fails the payment after two minutes', (t) => {
  const again = (afterMs: number) => ({
    afterMs: EXPIRES_AFTER_MS + afterMs,
    command: EXPIRE_COMMAND,
  });
  given(tell(...expiryAsked))
    .when(again(EXPIRY_GRACE_MS - 1))
    .then('unchanged');
  const { state, effects } = given(tell(...expiryAsked))
    .when(again(EXPIRY_GRACE_MS))
    .then('done', 'payment_failed');
  t.match(state, { status: 'failed', failureCode: 'expired', expiryRequestedAtMs: null });
  t.same(effects[0]?.tasks, [], 'no task: the rail’s expiry is not later');
  t.equal(EXPIRY_GRACE_MS, 120_000);
  t.end();
});

t.test('an expiry of a payment with an unanswered charge opens a task', (t) => {
  const { state, effects } = given(tell(creating, chargeAnswered(UNKNOWN), EXPIRE))
    .when({ afterMs: EXPIRES_AFTER_MS + EXPIRY_GRACE_MS, command: EXPIRE_COMMAND })
    .then('done', 'payment_failed');
  t.equal(state?.status, 'failed');
  t.strictSame(effects[0]?.tasks, [
    {
      id: `task_${PAYMENT_ID.slice(4)}000400`,
      kind: 'attempt_unresolved',
      details: { rail: 'midtrans', orderId: ORDER_1 },
    },
  ]);
  t.equal(effects[0]?.answers[0]?.first, 'payment_processing_failed');
  t.end();
});

t.test('a cancel precedes an expiry, and an expiry a change of method', (t) => {
  given(tell(...cancelAsked, EXPIRE))
    .when(closeAnswered(CLOSED))
    .then('done', 'attempt_closed', 'payment_cancelled');
  const changed = tell(...open, choose('VA_BNI'), EXPIRE);
  const { state } = given(changed)
    .when(closeAnswered(CLOSED, 'switch'))
    .then('done', 'attempt_closed', 'payment_failed');
  t.match(state, { failureCode: 'expired', methodChange: null });
  given(tell(...cancelAsked))
    .when(choose('VA_BNI'))
    .then('state_conflict');
  given(tell(...expiryAsked))
    .when(choose('VA_BNI'))
    .then('state_conflict');
  t.end();
});

t.test('an order closed by the rail itself cancels the payment', (t) => {
  given(tell(...open))
    .when(closeAnswered(CLOSED))
    .then('done', 'attempt_closed', 'payment_cancelled');
  t.end();
});

t.test('a failed attempt makes the payment failed', (t) => {
  const { state, effects } = given(tell(...open))
    .when(fail())
    .then('done', 'payment_failed');
  t.match(state, { status: 'failed', failureCode: 'declined' });
  t.equal(state?.attempts[0]?.status, 'failed');
  t.equal(effects[0]?.webhook?.type, 'payment.failed');
  given(tell(...open))
    .when(fail(ORDER_1, 'expired'))
    .then('done', 'payment_failed');
  t.end();
});

t.test('a failed attempt during a close counts as closed', (t) => {
  given(tell(...cancelAsked))
    .when(fail(ORDER_1, 'expired'))
    .then('done', 'attempt_closed', 'payment_cancelled');
  given(tell(...open, choose('VA_BNI')))
    .when(fail(ORDER_1, 'expired'))
    .then('done', 'attempt_closed', 'attempt_started');
  given(tell(creating, cancel())).when(fail()).then('done', 'payment_failed');
  t.end();
});

t.test('a failure or a close of a closed order changes nothing', (t) => {
  const changed = tell(...open, choose('VA_BNI'), closeAnswered(CLOSED, 'switch'));
  given(changed).when(fail()).then('unchanged');
  given(changed).when(closeAnswered(CLOSED, 'switch')).then('unchanged');
  t.end();
});

t.test('a TEST cancel or expiry ends the payment at once, without a rail call', (t) => {
  const cancelled = given(tell(create('TEST')))
    .when(cancel('TEST'))
    .then('done', 'payment_cancelled');
  t.same(cancelled.effects[0]?.railCalls, []);
  t.equal(cancelled.state?.attempts[0]?.status, 'closed');
  const expired = given(tell(create('TEST')))
    .when(EXPIRE)
    .then('done', 'payment_failed');
  t.match(expired.state, { failureCode: 'expired' });
  t.equal(expired.state?.attempts[0]?.status, 'closed');
  t.equal(
    paymentAfter(tell(create('LIVE'), cancel())).status,
    'cancelled',
    'LIVE without a method',
  );
  t.end();
});

t.test('a charge that was closed before it was accepted ends as if it were refused', (t) => {
  const charging = [create('LIVE'), choose('VA_BCA'), chargeAnswered(UNKNOWN)];
  const notTaken = closeAnswered(CLOSED, 'supersede');
  const { state, effects } = given(tell(...charging))
    .when(notTaken)
    .then('done', 'attempt_refused');
  t.match(state, { status: 'pending', attempts: [{ status: 'refused' }] });
  t.same(effects[0]?.answers, [answer('choose_method', 'payment_processing_failed')]);
  given(tell(...charging, notTaken))
    .when(choose('VA_BNI'))
    .then('waiting', 'attempt_started');
  const failed = given(tell(creating, chargeAnswered(UNKNOWN)))
    .when(notTaken)
    .then('done', 'attempt_refused', 'payment_failed');
  t.match(failed.state, { status: 'failed', failureCode: 'processing_failed' });
  t.same(failed.effects[1]?.tasks, [], 'no attempt is unresolved');
  given(tell(...charging, cancel()))
    .when(notTaken)
    .then('done', 'attempt_closed', 'payment_cancelled');
  given(tell(...charging, EXPIRE))
    .when(notTaken)
    .then('done', 'attempt_closed', 'payment_failed');
  const over = { afterMs: EXPIRES_AFTER_MS + EXPIRY_GRACE_MS, command: EXPIRE_COMMAND };
  given(tell(...charging, EXPIRE, over))
    .when(notTaken)
    .then('done', 'attempt_closed');
  t.end();
});

t.test(
  'money for a charge that counted as not taken is booked, or suspended when it is the second',
  (t) => {
    const notTaken = [
      create('LIVE'),
      choose('VA_BCA'),
      chargeAnswered(UNKNOWN),
      closeAnswered(CLOSED, 'supersede'),
    ];
    given(tell(...notTaken))
      .when(settle())
      .then('done', 'payment_paid');
    const second = [
      choose('VA_BNI'),
      chargeAnswered(ACCEPTED, ORDER_2),
      settle('tx-2', { orderId: ORDER_2 }),
    ];
    const { effects } = given(tell(...notTaken, ...second))
      .when(settle())
      .then('done', 'settlement_suspended');
    t.match(effects[0]?.tasks, [
      { kind: 'settlement_suspended', details: { reason: 'already_paid' } },
    ]);
    t.end();
  },
);
