// Which rails take LIVE payments, by method, in the order in which they are tried. No rail has an adapter yet: LIVE
// lists no method, offers the customer none, and refuses a create with one.
import type { ChargeableMethod, PaymentMethodId } from '../payment-methods.js';
import type { RailName } from './answers.js';

export const LIVE_RAILS: Readonly<Record<ChargeableMethod, readonly RailName[]>> = {
  QRIS: [],
  VA_BCA: [],
  VA_BNI: [],
  VA_BRI: [],
  VA_MANDIRI: [],
  VA_PERMATA: [],
};

const BANKS = ['VA_BCA', 'VA_BNI', 'VA_BRI', 'VA_MANDIRI', 'VA_PERMATA'] as const;

/** `VA` is on offer when a bank of it is. */
export function isOfferedLive(id: PaymentMethodId, rails = LIVE_RAILS): boolean {
  const methods: readonly ChargeableMethod[] = id === 'VA' ? BANKS : [id];
  return methods.some((method) => rails[method].length > 0);
}
