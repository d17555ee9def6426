// Charges that got no answer and were not taken: when they count as not taken.
import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import type { Attempt, PaymentState } from '#actors/core/payment/state.js';
import type { Rail } from '#actors/rails/adapters/rail.js';
import { callRail } from '#actors/rails/calls/call-rail.js';
import { decideAbsence } from '#actors/rails/inquiries/absent-charges.js';
import type { OpenCall } from '#actors/rails/inquiries/inquiry-result.js';
import { ORDER_1, PAYMENT_ID } from '#test/core/payment/samples.js';

const MINUTE_MS = 60_000;

const callOf = (operation: 'charge' | 'close', isGivenUp = true): OpenCall => {
  const base = {
    id: operation,
    paymentId: PAYMENT_ID,
    rail: 'midtrans',
    orderId: ORDER_1,
  } as const;
  if (operation === 'close') {
    const close = { operation, purpose: 'supersede', railReference: null } as const;
    return { id: operation, call: { ...base, ...close }, isGivenUp, isAnswered: false };
  }
  const money = { amountMinor: makeMinor(1n), currency: 'IDR', expiresAtMs: 1 } as const;
  const call = { ...base, operation, method: 'QRIS', ...money } as const;
  return { id: operation, call, isGivenUp, isAnswered: false };
};

t.test(
  'a missing order is cancelled after three inquiries and five minutes, then not taken',
  (t) => {
    const nowMs = 10 * MINUTE_MS;
    const attempt: Attempt = {
      ...{ number: 1, orderId: ORDER_1, rail: 'midtrans', method: 'QRIS', status: 'charging' },
      ...{ isUnconfirmed: true, railReference: null, instructions: null },
    };
    const order = {
      ...{ attempt, calls: [callOf('charge')], isCloseDue: false, absence: null },
      ...{ nowMs, timeoutMs: 50_000 },
    };
    const long = { count: 3, sinceMs: nowMs - 5 * MINUTE_MS };
    t.equal(decideAbsence(order, { ...long, count: 2 }), 'wait');
    t.equal(decideAbsence(order, { ...long, sinceMs: long.sinceMs + 1 }), 'wait');
    t.equal(decideAbsence(order, long), 'close');
    t.equal(decideAbsence({ ...order, timeoutMs: 4 * MINUTE_MS }, long), 'wait', 'a slow rail');
    t.equal(decideAbsence({ ...order, calls: [callOf('charge', false)] }, long), 'wait');
    t.equal(decideAbsence({ ...order, calls: [] }, long), 'wait', 'the charge has an answer');
    t.equal(decideAbsence({ ...order, attempt: { ...attempt, status: 'refused' } }, long), 'wait');
    t.equal(decideAbsence({ ...order, isCloseDue: true }, long), 'wait');
    const closing = [callOf('charge'), callOf('close', false)];
    t.equal(decideAbsence({ ...order, calls: closing }, long), 'wait', 'the cancel is under way');
    const closed = [callOf('charge'), callOf('close')];
    t.equal(decideAbsence({ ...order, calls: closed }, long), 'not_taken');
    t.end();
  },
);

t.test('a close of an order that its rail does not know says nothing about the rail', async (t) => {
  const { call } = callOf('close');
  const closeWith = (answer: object) => {
    const rail = { close: () => Promise.resolve(answer) } as unknown as Rail;
    const { signal } = new AbortController();
    return callRail(rail, call, {} as PaymentState, { signal, begin: () => Promise.resolve(true) });
  };
  const open = { kind: 'open', isUnknown: true, command: null };
  t.same(await closeWith({ result: 'unknown' }), { ...open, isAbsent: false });
  t.same(await closeWith({ result: 'unknown', isAbsent: true }), { ...open, isAbsent: true });
});
