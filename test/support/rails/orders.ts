// Builds calls to rails, each for an order of its own.
import { deriveOrderId, type RefundId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { ChargeCall, CloseCall, RefundCall } from '#actors/core/payment/rail-calls.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type { PayoutOrder } from '#actors/core/rails/answers.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { Payer, RailOrder } from '#actors/rails/adapters/rail.js';
import { PAYMENT_ID, REFUND_1 } from '#test/core/payment/samples.js';

export const NOBODY: Payer = { name: null, email: null, phone: null, description: null };
const QUARTER_HOUR_MS = 900_000;

let made = 0;

export function chargeOf(
  rail: RailName,
  method: ChargeableMethod,
  changes: Partial<ChargeCall> = {},
): ChargeCall {
  made += 1;
  return {
    ...{
      id: `call_${made}`,
      paymentId: PAYMENT_ID,
      rail,
      orderId: deriveOrderId(PAYMENT_ID, made),
    },
    ...{ operation: 'charge', method, currency: 'IDR' },
    amountMinor: makeMinor(150_000n),
    expiresAtMs: Date.now() + QUARTER_HOUR_MS,
    ...changes,
  };
}

/** Builds the order of a charge, for an inquiry. */
export function orderOf(
  { orderId, method, amountMinor, currency }: ChargeCall,
  railReference: string | null = null,
  bookedTransactionId: string | null = null,
): RailOrder {
  const wantsInstructions = railReference === null;
  return {
    ...{ orderId, method, amountMinor, currency, railReference, bookedTransactionId },
    wantsInstructions,
  };
}

export function closeOf(
  { id, paymentId, rail, orderId }: ChargeCall,
  railReference: string | null = null,
  purpose: CloseCall['purpose'] = 'cancel',
): CloseCall {
  return { id, paymentId, rail, orderId, operation: 'close', purpose, railReference };
}

export function refundOf(
  { id, paymentId, rail, orderId, method, currency }: ChargeCall,
  of: { railReference: string | null; railTransactionId: string },
  changes: { amount?: bigint; refundId?: RefundId } = {},
): RefundCall {
  const { amount = 50_000n, refundId = REFUND_1 } = changes;
  return {
    ...{ id, paymentId, rail, orderId, operation: 'refund', method, currency, refundId, ...of },
    amountMinor: makeMinor(amount),
  };
}

export function payoutOf(changes: Partial<PayoutOrder> = {}): PayoutOrder {
  made += 1;
  return {
    payoutId: `po_0004106105${String(made).padStart(16, '0')}`,
    amountMinor: makeMinor(75_000n),
    currency: 'IDR',
    bankCode: 'BCA',
    accountNumber: '1234567890',
    accountHolder: 'BUDI UTOMO',
    description: null,
    railReference: null,
    ...changes,
  };
}
