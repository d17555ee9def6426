// Commands as gateways would send them, made by hand, for payments of a partition that the test chooses.
import { randomBytes } from 'node:crypto';
import { type MerchantId, newId, orderIdOf, type PaymentId } from '#actors/core/ids.js';
import { toMinor } from '#actors/core/money.js';
import { partitionOf } from '#actors/core/partition.js';
import { fingerprintOf } from '#actors/core/payment/create.js';
import { isFault, parseCreateRequest } from '#actors/core/requests/create-payment.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';

/** An id whose payment belongs to `partition`. */
export function paymentIdIn(partition: number, partitions: number): PaymentId {
  for (;;) {
    const id = newId('pay', randomBytes(16));
    if (partitionOf(id, partitions) === partition) return id;
  }
}

/** The text of a create in TEST; `reference` is put in past every check. */
export function createText(
  paymentId: PaymentId,
  merchantId: MerchantId,
  reference: string,
): string {
  const request = parseCreateRequest({ amount: '15000', currency: 'IDR' });
  if (isFault(request)) throw new Error(request.code);
  return encodeCommand({
    type: 'create',
    paymentId,
    merchantId,
    environment: 'TEST',
    request: { ...request, referenceId: reference },
    fingerprint: fingerprintOf(request),
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
      orderId: orderIdOf(paymentId, 1),
      amountMinor: toMinor(15_000n),
      currency: 'IDR',
      settledAtMs: null,
    },
  });
