// LIVE payments without a rails process: the test sends the commands of the rail itself.
import { randomBytes } from 'node:crypto';
import {
  deriveOrderId,
  type MerchantId,
  makeId,
  type PaymentId,
  type RefundId,
} from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { AMOUNT, uniqueTransaction } from '../operators.js';

type Tell = (command: PaymentCommand) => Promise<string>;

/** A LIVE payment whose order is at a rail that says nothing. */
export async function makeLivePayment(tell: Tell, merchantId: MerchantId): Promise<PaymentId> {
  const paymentId = makeId('pay', randomBytes(16));
  const request = {
    amountMinor: makeMinor(BigInt(AMOUNT)),
    ...({ currency: 'IDR', paymentMethod: 'VA_BCA' } as const),
    ...{ description: null, referenceId: null, customerName: null, customerEmail: null },
    ...{ customerPhone: null, successUrl: null, cancelUrl: null, metadata: {}, expiresInS: null },
  };
  // A create waits for its rail, so its outcome is not awaited.
  void tell({
    ...({ type: 'create', paymentId, environment: 'LIVE', request, rails: ['midtrans'] } as const),
    ...{ merchantId, fingerprint: 'x' },
  }).catch(() => {});
  await tell({
    ...({ type: 'charge_answered', paymentId, orderId: deriveOrderId(paymentId, 1) } as const),
    answer: { result: 'accepted', railReference: null, instructions: null },
  });
  return paymentId;
}

/** The rail reports money for the payment. */
export const settleLive = (
  tell: Tell,
  paymentId: PaymentId,
  { amount = AMOUNT, transaction = uniqueTransaction() } = {},
): Promise<string> =>
  tell({
    ...({ type: 'settle', paymentId } as const),
    settlement: {
      ...({ rail: 'midtrans', railTransactionId: transaction, currency: 'IDR' } as const),
      ...{ orderId: deriveOrderId(paymentId, 1), amountMinor: makeMinor(BigInt(amount)) },
      settledAtMs: null,
    },
  });

/** A refund of a paid LIVE payment that its rail cannot make. */
export async function refundByHand(
  tell: Tell,
  { merchantId, paymentId }: { merchantId: MerchantId; paymentId: PaymentId },
  amount: bigint,
): Promise<RefundId> {
  const refundId = makeId('ref', randomBytes(16));
  void tell({
    ...({ type: 'refund', paymentId, merchantId, environment: 'LIVE', refundId } as const),
    ...{ amountMinor: makeMinor(amount), reason: null, referenceId: null },
  }).catch(() => {});
  const answer = { result: 'manual_required' } as const;
  await tell({ type: 'refund_answered', paymentId, refundId, answer });
  return refundId;
}
