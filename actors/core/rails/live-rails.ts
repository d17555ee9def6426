// LIVE rails: the rails that take a charge now, and the address at which each rail calls back. The
// rails processes publish offers (rows of rail_offers), in the order in which rails are tried; kill
// switches remove some of them.
import { createHmac } from 'node:crypto';
import { encodeBase32 } from '../ids.js';
import type { AmountMinor } from '../money.js';
import {
  CHARGEABLE_METHODS,
  type ChargeableMethod,
  isChoiceOpen,
  PAYMENT_METHODS,
  type PaymentMethodId,
} from '../payment-methods.js';
import { LIVE_RAIL_NAMES, type RailName } from './rail-names.js';

/** Rails processes renew their offers every second; older ones are ignored. */
export const OFFER_SILENT_MS = 15_000;

/** One method at one rail. */
export interface RailOffer {
  readonly rail: RailName;
  readonly method: ChargeableMethod;
  readonly minAmountMinor: AmountMinor;
  readonly maxAmountMinor: AmountMinor;
  /** The longest that the rail keeps an order open. */
  readonly maxExpiresInS: number;
}

export interface RailCharge {
  readonly method: ChargeableMethod;
  readonly amountMinor: AmountMinor;
  /** As the merchant requested; null: the default of the method, or what is left of it. */
  readonly expiresInS: number | null;
}

/** In the order in which the rails of a method are tried. */
export type RailOffers = readonly RailOffer[];

/**
 * The rails to try for a charge. `route` is a merchant's own order; rails that it does not name are
 * left out.
 */
export function selectRails(
  offers: RailOffers,
  { method, amountMinor, expiresInS }: RailCharge,
  route?: readonly string[],
): readonly RailName[] {
  const rails = offers
    .filter(
      (offer) =>
        offer.method === method &&
        amountMinor >= offer.minAmountMinor &&
        amountMinor <= offer.maxAmountMinor &&
        (expiresInS ?? 0) <= offer.maxExpiresInS,
    )
    .map(({ rail }) => rail);
  if (route === undefined) return rails;
  return rails
    .filter((rail) => route.includes(rail))
    .sort((a, b) => route.indexOf(a) - route.indexOf(b));
}

/**
 * The longest that a payment can be kept open at the rails that are configured for its method, whether
 * they take charges now or not. null: no rail is configured for it.
 */
export function findMaxExpiresInS(
  configured: RailOffers,
  requested: PaymentMethodId | null,
  routes: ReadonlyMap<string, readonly string[]>,
): number | null {
  const usable = configured.filter(
    ({ rail, method }) =>
      (requested === method || isChoiceOpen(requested, method)) &&
      (routes.get(method)?.includes(rail) ?? true),
  );
  return usable.length === 0 ? null : Math.max(...usable.map(({ maxExpiresInS }) => maxExpiresInS));
}

/** `VA` is offered when one of its banks is. */
export function isOfferedLive(id: PaymentMethodId, offers: RailOffers): boolean {
  const { kind } = PAYMENT_METHODS[id];
  const methods = CHARGEABLE_METHODS.filter((method) =>
    id === 'VA' ? PAYMENT_METHODS[method].kind === kind : method === id,
  );
  return methods.some((method) => offers.some((offer) => offer.method === method));
}

const CALLBACK_ID_BYTES = 16;
export const CALLBACK_ID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/**
 * The id in a rail's callback address. It is derived from a key and does not show the rail's name.
 */
export function deriveCallbackId(key: Uint8Array, rail: RailName): string {
  const digest = createHmac('sha256', key).update(`rail callbacks:${rail}`).digest();
  return encodeBase32(digest.subarray(0, CALLBACK_ID_BYTES));
}

/** Relative to the base address. */
export function buildCallbackPath(key: Uint8Array, rail: RailName): string {
  return `/v1/rails/${deriveCallbackId(key, rail)}/callbacks`;
}

/** Every rail that can call back, by its callback ids: one for each key, so that keys can be rotated. */
export function mapRailsByCallbackId(keys: readonly Uint8Array[]): ReadonlyMap<string, RailName> {
  return new Map(
    keys.flatMap((key) =>
      LIVE_RAIL_NAMES.map((rail) => [deriveCallbackId(key, rail), rail] as const),
    ),
  );
}
