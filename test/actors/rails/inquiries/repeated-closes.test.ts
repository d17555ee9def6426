// Closes that are made again, until the rail confirms them: which orders, and when.
import t from 'tap';
import { findAttempt, type PaymentState } from '#actors/core/payment/state.js';
import { evolve } from '#actors/core/payment/state-machine.js';
import { planRepeatedClose } from '#actors/rails/inquiries/repeated-closes.js';
import { closeUnusable } from '#actors/rails/inquiries/unusable-orders.js';
import type { OpenCall } from '#actors/rails/inquiries/inquiry-result.js';
import { AMOUNT, ORDER_1, PAYMENT_ID } from '#test/core/payment/samples.js';
import { type Situation, SITUATIONS } from '#test/core/payment/matrix/situations.js';

function load(situation: Situation): PaymentState {
  let state: PaymentState | undefined;
  for (const event of SITUATIONS[situation]) state = evolve(state, event);
  if (state === undefined) throw new Error(`${situation} has no events`);
  return state;
}

const closeCall = (purpose: 'cancel' | 'switch' | 'expire', isGivenUp = true): OpenCall => ({
  id: 'call_1',
  call: {
    ...{ id: 'call_1', operation: 'close', paymentId: PAYMENT_ID, orderId: ORDER_1 },
    ...{ rail: 'midtrans', purpose, railReference: null },
  },
  isGivenUp,
  isAnswered: false,
});

function plan(
  situation: Situation,
  calls: readonly OpenCall[],
  { isUnusable = false, ...changes }: { isUnusable?: boolean } & Record<string, unknown> = {},
) {
  const state = load(situation);
  const attempt = findAttempt(state, ORDER_1);
  if (attempt === undefined) throw new Error(`${situation} has no attempt`);
  const times = { nowMs: 1, inquireUntilMs: 2 };
  const order = { state, attempt, calls, railReference: 'r1', closes: 0, isCloseDue: false };
  return planRepeatedClose({ ...order, ...times, ...changes }, isUnusable);
}

t.test('an open order is closed again if its payment asked for it or has ended', (t) => {
  for (const [situation, calls, purpose, onlyWithout] of [
    ['cancel_asked', [closeCall('cancel')], 'cancel', 'call_1'],
    ['switch_asked', [closeCall('switch')], 'switch', 'call_1'],
    ['expiry_asked', [closeCall('expire')], 'expire', null],
    ['expiry_asked', [], 'expire', null],
    ['failed', [], 'supersede', null],
    ['cancelled', [], 'supersede', null],
  ] as const) {
    const close = plan(situation, calls);
    t.match(
      close,
      { call: { orderId: ORDER_1, purpose, railReference: 'r1' }, inMs: 0 },
      situation,
    );
    t.equal(close?.onlyWithout, onlyWithout, situation);
  }
  t.end();
});

t.test('the charge of an unusable order waits until the rail has closed it', (t) => {
  const state = load('creating');
  const attempt = findAttempt(state, ORDER_1);
  if (attempt === undefined) throw new Error('it has no attempt');
  const lostCharge: OpenCall = {
    id: 'call_0',
    call: {
      ...{ id: 'call_0', operation: 'charge', paymentId: PAYMENT_ID, orderId: ORDER_1 },
      ...{ rail: 'midtrans', method: 'QRIS', amountMinor: AMOUNT, currency: 'IDR' },
      expiresAtMs: 1,
    },
    isGivenUp: true,
    isAnswered: false,
  };
  const order = {
    ...{ state, attempt, calls: [lostCharge, closeCall('cancel')], railReference: 'r1' },
    ...{ isCloseDue: false, nowMs: 1, inquireUntilMs: 2 },
  };
  const first = closeUnusable({ ...order, closes: 0 });
  t.match(first, {
    result: { commands: { length: 0 }, doubts: { length: 0 }, answeredCalls: ['call_1'] },
    close: { call: { purpose: 'supersede', railReference: 'r1' } },
    tasks: [{ kind: 'instructions_unusable', details: /"railReference":"r1","method":"QRIS"/ }],
  });
  const second = closeUnusable({ ...order, closes: 1 });
  t.match(second.result, {
    commands: { length: 0 },
    doubts: [{ type: 'charge_answered', orderId: ORDER_1, answer: { result: 'unknown' } }],
  });
  t.same(second.tasks, first.tasks, 'it is the same task');
  t.match(
    closeUnusable({ ...order, closes: 1, isCloseDue: true }),
    { close: null, result: { doubts: { length: 0 } } },
    'the first close is under way',
  );
  t.end();
});

t.test('an order that nobody can be shown how to pay is closed until the rail confirms it', (t) => {
  const isUnusable = true;
  for (const situation of ['charging', 'expiry_asked', 'failed'] as const) {
    t.match(
      plan(situation, [], { isUnusable }),
      { call: { orderId: ORDER_1, purpose: 'supersede', railReference: 'r1' }, inMs: 0 },
      situation,
    );
  }
  t.match(plan('charging', [closeCall('cancel')], { isUnusable, closes: 2 }), { inMs: 15_000 });
  t.equal(plan('charging', [closeCall('cancel', false)], { isUnusable }), null, 'it is under way');
  t.equal(plan('charging', [], { isUnusable, isCloseDue: true }), null);
  t.end();
});

t.test('an order that is wanted, settled, charging or being closed is left alone', (t) => {
  t.equal(plan('open', []), null);
  t.equal(plan('open', [closeCall('cancel')]), null, 'the rail refused the cancel');
  t.equal(plan('cancel_asked', []), null, 'its answer is about to be applied');
  t.equal(plan('paid', []), null);
  t.equal(plan('charging', []), null);
  t.equal(plan('cancel_asked', [closeCall('cancel', false)]), null, 'an answer may arrive');
  t.equal(plan('cancelled', [], { isCloseDue: true }), null);
  t.equal(plan('cancelled', [], { nowMs: 2 }), null, 'inquiries end');
  t.end();
});

t.test('each repeat is another call, after a longer pause', (t) => {
  const closes = [0, 1, 2, 6, 50].map((count) => plan('cancelled', [], { closes: count }));
  t.same(
    closes.map((close) => close?.inMs),
    [0, 5_000, 15_000, 3_600_000, 3_600_000],
  );
  t.equal(new Set(closes.map((close) => close?.call.id)).size, 5);
  t.end();
});
