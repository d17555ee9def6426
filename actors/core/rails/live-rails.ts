// Which rails take LIVE payments now, by method: what rails processes offer (rows of rail_offers), less what
// operators have switched off, in the order in which rails are tried.
import type { AmountMinor } from '../money.js';
import {
  CHARGEABLE_METHODS,
  type ChargeableMethod,
  PAYMENT_METHODS,
  type PaymentMethodId,
} from '../payment-methods.js';
import type { RailName } from './answers.js';

/** Rails processes say every second that they live. */
export const OFFER_SILENT_MS = 15_000;

/** One method at one rail. */
export interface RailOffer {
  readonly rail: RailName;
  readonly method: ChargeableMethod;
  readonly minAmountMinor: AmountMinor;
  readonly maxAmountMinor: AmountMinor;
}

/** In the order in which the rails of a method are tried. */
export type RailOffers = readonly RailOffer[];

/** The rails to try for a charge; `route`: a merchant's own order, which leaves out the rails that it does not name. */
export function railsFor(
  offers: RailOffers,
  method: ChargeableMethod,
  amountMinor: AmountMinor,
  route?: readonly string[],
): readonly RailName[] {
  const rails = offers
    .filter(
      (offer) =>
        offer.method === method &&
        amountMinor >= offer.minAmountMinor &&
        amountMinor <= offer.maxAmountMinor,
    )
    .map(({ rail }) => rail);
  if (route === undefined) return rails;
  return rails
    .filter((rail) => route.includes(rail))
    .sort((a, b) => route.indexOf(a) - route.indexOf(b));
}

/** `VA` is on offer when a bank of it is. */
export function isOfferedLive(id: PaymentMethodId, offers: RailOffers): boolean {
  const { kind } = PAYMENT_METHODS[id];
  const methods = CHARGEABLE_METHODS.filter((method) =>
    id === 'VA' ? PAYMENT_METHODS[method].kind === kind : method === id,
  );
  return methods.some((method) => offers.some((offer) => offer.method === method));
}
