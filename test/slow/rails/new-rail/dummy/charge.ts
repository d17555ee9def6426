// Charges at the dummy rail: the request, and the payment instructions in the reply.
import type { ChargeCall } from '#actors/core/payment/rail-calls.js';
import type { ChargeAnswer } from '#actors/core/rails/answers.js';
import { readPayload } from '#actors/core/rails/emv-qr.js';
import type { UnusableOrder } from '#actors/rails/adapters/rail.js';
import { writeRailAmount } from '#actors/rails/adapters/wire.js';
import type { Order } from './wire.js';

export function buildChargeBody({ orderId, amountMinor, expiresAtMs }: ChargeCall): object {
  return { id: orderId, amount: writeRailAmount(amountMinor), expires_at: expiresAtMs };
}

export function readCharge(order: Order): ChargeAnswer | UnusableOrder {
  const { reference: railReference, qr } = order;
  const payload = readPayload(qr);
  return payload === null
    ? { result: 'unusable', railReference }
    : { result: 'accepted', railReference, instructions: { kind: 'qr', payload } };
}
