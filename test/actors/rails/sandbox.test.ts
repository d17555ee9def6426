// The sandbox rail.
import t from 'tap';
import { deriveOrderId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { RailOrder } from '#actors/rails/adapters/rail.js';
import { createSandboxRail } from '#actors/rails/adapters/sandbox.js';
import { PAYMENT_ID, REFUND_1 } from '#test/core/payment/samples.js';

const rail = createSandboxRail();
const { signal } = new AbortController();
const NO_PAYER = { name: null, email: null, phone: null, description: null };

function order(amount: bigint): RailOrder {
  return {
    orderId: deriveOrderId(PAYMENT_ID, 1),
    railReference: null,
    bookedTransactionId: null,
    method: 'QRIS',
    amountMinor: makeMinor(amount),
    currency: 'IDR',
  };
}

const call = { id: 'call_1', paymentId: PAYMENT_ID, rail: 'sandbox', ...order(150_000n) } as const;

t.test('a charge is accepted and a close is closed', async (t) => {
  const charge = { ...call, operation: 'charge', method: 'QRIS', expiresAtMs: 0 } as const;
  const answer = await rail.charge(charge, NO_PAYER, signal);
  t.match(answer, {
    result: 'accepted',
    railReference: call.orderId,
    instructions: { kind: 'qr', payload: /6304[0-9A-F]{4}$/ },
  });
  const close = { ...call, operation: 'close', purpose: 'cancel' } as const;
  t.same(await rail.close(close, signal), { result: 'closed' });
});

t.test('a refund succeeds, except for the amount that is refunded by hand', async (t) => {
  const refund = (amount: bigint) =>
    ({
      ...call,
      ...order(amount),
      operation: 'refund',
      refundId: REFUND_1,
      railTransactionId: 'tx',
    }) as const;
  t.match(await rail.refund(refund(5n), signal), { result: 'succeeded' });
  t.match(await rail.refund(refund(10_094n), signal), { result: 'manual_required' });
  t.match(await rail.inquireRefund(refund(10_094n), signal), { result: 'manual_required' });
});

t.test('an inquiry answers by the amount of the order', async (t) => {
  const results: unknown[] = [];
  for (const amount of [10_090n, 10_091n, 10_092n, 10_093n, 10_094n, 10_095n, 10_096n]) {
    const answer = await rail.inquirePayment(order(amount), signal);
    results.push([answer.result, 'failureCode' in answer ? answer.failureCode : null]);
  }
  t.same(results, [
    ['open', null],
    ['failed', 'declined'],
    ['settled', null],
    ['failed', 'expired'],
    ['settled', null],
    ['settled', null],
    ['reversed', null],
  ]);
});
