// Reads the state of an order at the dummy rail.
import type { OrderId } from '#actors/core/ids.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { InquiryAnswer } from '#actors/rails/adapters/rail.js';
import { readRailAmount } from '#actors/rails/adapters/wire.js';
import { readCharge } from './charge.js';
import type { Order } from './wire.js';

const UNKNOWN = { result: 'unknown' } as const;

export function readOrderState(order: Order, orderId: OrderId, rail: RailName): InquiryAnswer {
  const { state, reference: railTransactionId } = order;
  if (state === 'closed') return { result: 'closed' };
  if (state === 'open') {
    const charge = readCharge(order);
    return charge.result === 'unusable' ? charge : { result: 'open', charge };
  }
  const amountMinor = readRailAmount(order.amount);
  if (amountMinor === null) return UNKNOWN;
  const money = { amountMinor, currency: 'IDR', settledAtMs: null };
  const settlement = { rail, railTransactionId, orderId, ...money };
  return { result: 'settled', settlement, givenBack: null };
}
