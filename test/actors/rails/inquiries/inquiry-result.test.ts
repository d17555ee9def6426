// Inquiries without a result: which calls they answer all the same.
import t from 'tap';
import { evolve } from '#actors/core/payment/state-machine.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { ATTEMPT_STATUSES, type AttemptStatus } from '#actors/core/statuses.js';
import { interpretOrderAnswer, type OpenCall } from '#actors/rails/inquiries/inquiry-result.js';
import { AMOUNT, ORDER_1, ORDER_2, PAYMENT_ID } from '#test/core/payment/samples.js';
import { SITUATIONS } from '#test/core/payment/matrix/situations.js';

function loadWith(status: AttemptStatus): PaymentState {
  let state: PaymentState | undefined;
  for (const event of SITUATIONS.open) state = evolve(state, event);
  if (state === undefined) throw new Error('the situation has no events');
  return { ...state, attempts: state.attempts.map((attempt) => ({ ...attempt, status })) };
}

function callOf(operation: 'charge' | 'close', isGivenUp = true, orderId = ORDER_1): OpenCall {
  const id = `${operation} ${orderId === ORDER_1 ? 1 : 2} ${isGivenUp ? 'lost' : 'under way'}`;
  const base = { id, paymentId: PAYMENT_ID, rail: 'midtrans', orderId } as const;
  const charge = { method: 'QRIS', amountMinor: AMOUNT, currency: 'IDR', expiresAtMs: 1 } as const;
  const close = { purpose: 'supersede', railReference: null } as const;
  const call =
    operation === 'charge' ? { ...base, operation, ...charge } : { ...base, operation, ...close };
  return { id, call, isGivenUp, isAnswered: false };
}

t.test('lost calls are answered without the rail once the attempt of their order is over', (t) => {
  const calls = [
    ...[callOf('charge'), callOf('close'), callOf('charge', false), callOf('close', false)],
    callOf('charge', true, ORDER_2),
  ];
  const order = { orderId: ORDER_1, calls, isClosedAgain: false, closes: 0, nowMs: 1 };
  for (const status of ATTEMPT_STATUSES) {
    const found = interpretOrderAnswer(
      { ...order, state: loadWith(status) },
      { result: 'unknown' },
    );
    const isPayable = status === 'charging' || status === 'open';
    t.same(found.answeredCalls, isPayable ? [] : ['charge 1 lost', 'close 1 lost'], status);
    t.same(found.commands, [], status);
  }
  t.end();
});
