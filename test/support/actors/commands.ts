// Commands as gateways would send them, made by hand, for payments of a partition that the test chooses.
import { randomBytes } from 'node:crypto';
import { type MerchantId, makeId, deriveOrderId, type PaymentId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import { partitionFor } from '#actors/core/partition.js';
import { fingerprintRequest } from '#actors/core/payment/create.js';
import { isValidationError, parseCreateRequest } from '#actors/core/requests/create-payment.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';

/** An id whose payment belongs to `partition`. */
export function paymentIdIn(partition: number, partitions: number): PaymentId {
  for (;;) {
    const id = makeId('pay', randomBytes(16));
    if (partitionFor(id, partitions) === partition) return id;
  }
}

/** The text of a create in TEST; `reference` is put in past every check. */
export function createText(
  paymentId: PaymentId,
  merchantId: MerchantId,
  reference: string,
): string {
  const request = parseCreateRequest({ amount: '15000', currency: 'IDR' });
  if (isValidationError(request)) throw new Error(request.code);
  return encodeCommand({
    type: 'create',
    paymentId,
    merchantId,
    environment: 'TEST',
    request: { ...request, referenceId: reference },
    fingerprint: fingerprintRequest(request),
    rails: [],
  });
}

export const simulateText = (paymentId: PaymentId, outcome: 'paid' | 'failed'): string =>
  encodeCommand({ type: 'simulate', paymentId, outcome });

/** A settlement of the whole amount of `createText` by the sandbox, under any number. */
export const settleText = (paymentId: PaymentId, railTransactionId: string): string =>
  encodeCommand({
    type: 'settle',
    paymentId,
    settlement: {
      rail: 'sandbox',
      railTransactionId,
      orderId: deriveOrderId(paymentId, 1),
      amountMinor: makeMinor(15_000n),
      currency: 'IDR',
      settledAtMs: null,
    },
  });
