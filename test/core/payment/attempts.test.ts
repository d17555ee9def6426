import t from 'tap';
import { deriveOrderId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import { given, paymentAfter, tell } from '#test/support/given-when-then.js';
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
  ORDER_1,
  ORDER_2,
  PAYMENT_ID,
  REFUSED,
  settle,
  UNKNOWN,
} from './samples.js';

const CREATED = { waiter: 'create', first: 'created', others: 'replayed' };
const answer = (waiter: string, outcome: string) => ({ waiter, first: outcome, others: outcome });

const creating = tell(create('LIVE', { paymentMethod: 'QRIS' }, ['midtrans', 'xendit']));
const unchosen = tell(create('LIVE'));
const charging = [create('LIVE'), choose('VA_BCA', ['midtrans', 'xendit'])];
const open = [...charging, chargeAnswered(ACCEPTED)];

t.test('the rail accepts: pending, and whoever waits is answered', (t) => {
  const { state, effects } = given(creating)
    .when(chargeAnswered(ACCEPTED))
    .then('done', 'attempt_accepted');
  t.equal(state?.status, 'pending');
  t.match(state?.attempts[0], { status: 'open', railReference: 'rail-ref-1' });
  t.same(state?.attempts[0]?.instructions, ACCEPTED.result === 'accepted' && ACCEPTED.instructions);
  t.same(effects[0]?.answers, [CREATED, answer('choose_method', 'done')]);
  t.same(effects[0]?.railCalls, []);
  t.end();
});

t.test('the rail refuses: the next one is tried under another order', (t) => {
  const { state, effects } = given(creating)
    .when(chargeAnswered(REFUSED))
    .then('done', 'attempt_refused', 'attempt_started');
  t.equal(state?.status, 'creating');
  t.same(state?.nextRails, []);
  t.match(state?.attempts, [
    { number: 1, rail: 'midtrans', status: 'refused' },
    { number: 2, rail: 'xendit', status: 'charging', orderId: ORDER_2, method: 'QRIS' },
  ]);
  t.same(effects[0]?.answers, [], 'nobody is answered yet');
  t.match(effects[1]?.railCalls, [{ operation: 'charge', rail: 'xendit', orderId: ORDER_2 }]);
  t.end();
});

t.test('the last rail refuses: failed, 502', (t) => {
  const refusedOnce = tell(
    create('LIVE', { paymentMethod: 'QRIS' }, ['midtrans', 'xendit']),
    chargeAnswered(REFUSED),
  );
  const { state, effects } = given(refusedOnce)
    .when(chargeAnswered(REFUSED, ORDER_2))
    .then('done', 'attempt_refused', 'payment_failed');
  t.match(state, { status: 'failed', failureCode: 'processing_failed' });
  t.equal(effects[1]?.webhook?.type, 'payment.failed');
  t.same(effects[1]?.answers[0], answer('create', 'payment_processing_failed'));
  t.end();
});

t.test('no second rail once an end was asked for', (t) => {
  for (const end of [cancel(), EXPIRE]) {
    const asked = tell(create('LIVE', { paymentMethod: 'QRIS' }, ['midtrans', 'xendit']), end);
    given(asked).when(chargeAnswered(REFUSED)).then('done', 'attempt_refused', 'payment_failed');
  }
  t.end();
});

t.test('the rail does not say: 504, once, and the answer still counts when it comes', (t) => {
  const unconfirmed = tell(
    create('LIVE', { paymentMethod: 'QRIS' }, ['midtrans', 'xendit']),
    chargeAnswered(UNKNOWN),
  );
  const { effects } = given(creating)
    .when(chargeAnswered(UNKNOWN))
    .then('done', 'attempt_unconfirmed');
  t.same(
    effects[0]?.answers,
    ['create', 'cancel', 'choose_method'].map((waiter) => answer(waiter, 'outcome_unknown')),
  );
  t.equal(paymentAfter(unconfirmed).attempts[0]?.isUnconfirmed, true);
  given(unconfirmed).when(chargeAnswered(UNKNOWN)).then('unchanged');
  given(unconfirmed)
    .when(create('LIVE', { paymentMethod: 'QRIS' }))
    .then('waiting');
  given(unconfirmed).when(chargeAnswered(ACCEPTED)).then('done', 'attempt_accepted');
  given(unconfirmed)
    .when(chargeAnswered(REFUSED))
    .then('done', 'attempt_refused', 'attempt_started');
  t.end();
});

t.test('a settlement can be faster than the answer, which then changes nothing', (t) => {
  const { state, effects } = given(creating).when(settle()).then('done', 'payment_paid');
  t.match(state, { status: 'paid', isLate: false });
  t.same(effects[0]?.answers[0], CREATED, '201 with a paid payment');
  const paid = tell(create('LIVE', { paymentMethod: 'QRIS' }), settle());
  for (const late of [ACCEPTED, REFUSED, UNKNOWN]) {
    given(paid).when(chargeAnswered(late)).then('unchanged');
  }
  t.end();
});

t.test('an order that a payment no longer wants is closed when the rail accepts it', (t) => {
  const grace = 120_000;
  const givenUp = tell(create('LIVE', { paymentMethod: 'QRIS' }), EXPIRE, {
    afterMs: EXPIRES_AFTER_MS + grace,
    command: EXPIRE_COMMAND,
  });
  t.match(paymentAfter(givenUp), { status: 'failed', failureCode: 'expired' });
  const { state, effects } = given(givenUp)
    .when(chargeAnswered(ACCEPTED))
    .then('done', 'attempt_accepted');
  t.equal(state?.status, 'failed');
  t.match(effects[0]?.railCalls, [{ operation: 'close', purpose: 'supersede', orderId: ORDER_1 }]);
  given(givenUp).when(chargeAnswered(UNKNOWN)).then('unchanged');
  given(givenUp).when(chargeAnswered(REFUSED)).then('done', 'attempt_refused');
  const accepted = [...givenUp, ...given(givenUp).when(chargeAnswered(ACCEPTED)).events];
  given(accepted)
    .when(closeAnswered({ result: 'closed' }, 'supersede'))
    .then('done', 'attempt_closed');
  t.end();
});

t.test('the customer chooses: one order at a time', (t) => {
  const { state, effects } = given(unchosen)
    .when(choose('VA_BCA', ['xendit', 'midtrans']))
    .then('waiting', 'attempt_started');
  t.equal(state?.status, 'pending');
  t.same(state?.nextRails, ['midtrans']);
  t.match(effects[0]?.railCalls, [{ operation: 'charge', method: 'VA_BCA', rail: 'xendit' }]);
  t.end();
});

t.test('a charge that fails leaves the other methods on offer', (t) => {
  const refused = tell(create('LIVE'), choose('VA_BCA'), chargeAnswered(REFUSED));
  t.equal(paymentAfter(refused).status, 'pending');
  const { effects } = given(tell(create('LIVE'), choose('VA_BCA')))
    .when(chargeAnswered(REFUSED))
    .then('done', 'attempt_refused');
  t.same(effects[0]?.answers, [answer('choose_method', 'payment_processing_failed')]);
  given(refused).when(choose('VA_BCA')).then('waiting', 'attempt_started');
  given(refused).when(choose('QRIS')).then('waiting', 'attempt_started');
  given(refused).when(cancel()).then('done', 'payment_cancelled');
  given(refused).when(EXPIRE).then('done', 'payment_failed');
  t.end();
});

t.test('an end that was asked for while the rail was at it takes place on its refusal', (t) => {
  given(tell(...charging.slice(0, 1), choose('VA_BCA'), cancel()))
    .when(chargeAnswered(REFUSED))
    .then('done', 'attempt_refused', 'payment_cancelled');
  const { state } = given(tell(create('LIVE'), choose('VA_BCA'), EXPIRE))
    .when(chargeAnswered(REFUSED))
    .then('done', 'attempt_refused', 'payment_failed');
  t.match(state, { failureCode: 'expired' });
  t.end();
});

t.test('another method: the rail must close the former order first', (t) => {
  const { state, effects } = given(tell(...open))
    .when(choose('VA_BNI', ['xendit', 'midtrans']))
    .then('waiting', 'method_change_requested');
  t.match(effects[0]?.railCalls, [
    { operation: 'close', purpose: 'switch', orderId: ORDER_1, railReference: 'rail-ref-1' },
  ]);
  t.equal(state?.attempts.length, 1, 'nothing is charged yet');
  const asked = [...open, choose('VA_BNI', ['xendit', 'midtrans'])];
  const closed = given(tell(...asked))
    .when(closeAnswered({ result: 'closed' }, 'switch'))
    .then('done', 'attempt_closed', 'attempt_started');
  t.match(closed.state?.attempts[1], { rail: 'xendit', method: 'VA_BNI', status: 'charging' });
  t.same(closed.state?.nextRails, ['midtrans']);
  t.equal(closed.state?.methodChange, null);
  const refused = given(tell(...asked))
    .when(closeAnswered(REFUSED, 'switch'))
    .then('done', 'method_change_refused');
  t.same(refused.effects[0]?.answers, [answer('choose_method', 'state_conflict')]);
  t.equal(refused.state?.methodChange, null);
  t.end();
});

t.test(
  'no answer to the change of method: 504, once; the change takes place when it comes',
  (t) => {
    const asked = [...open, choose('VA_BNI')];
    const unknown = closeAnswered(UNKNOWN, 'switch');
    const { effects } = given(tell(...asked))
      .when(unknown)
      .then('done', 'close_unconfirmed');
    t.same(effects[0]?.answers, [answer('choose_method', 'outcome_unknown')]);
    given(tell(...asked, unknown))
      .when(unknown)
      .then('unchanged');
    given(tell(...asked, unknown))
      .when(closeAnswered({ result: 'closed' }, 'switch'))
      .then('done', 'attempt_closed', 'attempt_started');
    t.end();
  },
);

t.test('what cannot be chosen', (t) => {
  const fixed = tell(create('LIVE', { paymentMethod: 'QRIS' }), chargeAnswered(ACCEPTED));
  given(fixed).when(choose('VA_BCA')).then('payment_method_unavailable');
  const va = tell(create('LIVE', { paymentMethod: 'VA' }));
  given(va).when(choose('QRIS')).then('payment_method_unavailable');
  given(va).when(choose('VA_BCA')).then('waiting', 'attempt_started');
  const small = tell(create('LIVE', { amountMinor: makeMinor(9_999n) }));
  given(small).when(choose('VA_BCA')).then('payment_method_unavailable');
  given(unchosen).when(choose('VA_BCA', [])).then('payment_method_unavailable');
  given(unchosen)
    .when(choose('VA_BCA', ['sandbox']))
    .then('payment_method_unavailable');
  given(unchosen)
    .when({ afterMs: 3_601_000, command: choose('VA_BCA') })
    .then('state_conflict');
  given(unchosen)
    .when({ afterMs: 3_600_999, command: choose('VA_BCA') })
    .then('waiting', 'attempt_started');
  t.end();
});

t.test('TEST: the choice takes effect at once, and the former order is closed', (t) => {
  const { state, effects } = given(tell(create('TEST')))
    .when(choose('QRIS'))
    .then('done', 'attempt_started');
  t.match(state?.attempts, [
    { method: null, status: 'closed', rail: 'sandbox' },
    { method: 'QRIS', status: 'open', rail: 'sandbox', orderId: ORDER_2 },
  ]);
  t.same(effects[0]?.railCalls, []);
  given(tell(create('TEST'), choose('QRIS')))
    .when(choose('QRIS'))
    .then('unchanged');
  t.end();
});

t.test('a payment has at most 20 orders', (t) => {
  const methods = ['VA_BCA', 'VA_BNI'] as const;
  const choices = Array.from({ length: 19 }, (_, index) => choose(methods[index % 2] ?? 'QRIS'));
  const full = tell(create('TEST'), ...choices);
  t.equal(paymentAfter(full).attempts.length, 20);
  given(full).when(choose('QRIS')).then('attempt_limit_reached');
  t.end();
});

t.test('also at LIVE rails, where the last refusal ends the tries', (t) => {
  const steps = Array.from({ length: 20 }, (_, index) => [
    choose('VA_BCA', ['midtrans', 'xendit']),
    chargeAnswered(REFUSED, deriveOrderId(PAYMENT_ID, index + 1)),
  ]).flat();
  const full = tell(create('LIVE'), ...steps);
  const { attempts } = paymentAfter(full);
  t.equal(attempts.length, 20);
  t.equal(attempts.at(-1)?.status, 'refused', 'its second rail was not tried');
  given(full).when(choose('QRIS')).then('attempt_limit_reached');
  t.end();
});
