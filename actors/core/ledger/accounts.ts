// The accounts of the double-entry ledger, by name. An account's balance is its credits less its
// debits.
//
//   rail_clearing       what a rail owes us; below zero it holds money for us
//   fees                what rails keep and we bear: booked by their reports (bookings.ts), 0 by default
//   merchant_pending    the merchant's money under a hold
//   merchant_available  the merchant's money, free to pay out
//   merchant_reserve    the merchant's money that two administrators have frozen
//   refund_clearing     taken from the merchant for refunds that are under way
//   payout_clearing     taken from the merchant for payouts that are under way
//   suspense            money that came for a merchant's payment and is not the payment's
//   platform_suspense   money that came for an unknown order
//   adjustments         what the platform gave to merchants, or took, by corrections of their balances
import type { Environment, MerchantId } from '../ids.js';
import type { RailName } from '../rails/rail-names.js';

export const MERCHANT_ACCOUNTS = [
  'merchant_pending',
  'merchant_available',
  'merchant_reserve',
  'refund_clearing',
  'payout_clearing',
  'suspense',
] as const;
export type MerchantAccount = (typeof MERCHANT_ACCOUNTS)[number];
export type RailAccount = 'rail_clearing' | 'fees';

/**
 * In place of a rail: payments that an administrator makes by hand from the platform's own bank
 * account.
 */
export const MANUAL = 'manual';

/** `<account>:<merchant>:<environment>:<currency>`: TEST and LIVE money never share an account. */
export function formatMerchantAccount(
  account: MerchantAccount,
  merchantId: MerchantId,
  environment: Environment,
  currency: string,
): string {
  return `${account}:${merchantId}:${environment}:${currency}`;
}

export function isMerchantAccount(key: string): boolean {
  return MERCHANT_ACCOUNTS.some((name) => key.startsWith(`${name}:`));
}

/** `<account>:<rail>:<environment>:<currency>`. */
export function formatRailAccount(
  account: RailAccount,
  rail: RailName | typeof MANUAL,
  environment: Environment,
  currency: string,
): string {
  return `${account}:${rail}:${environment}:${currency}`;
}

/** `platform_suspense:<environment>:<currency>`. */
export function formatPlatformSuspense(environment: Environment, currency: string): string {
  return `platform_suspense:${environment}:${currency}`;
}

/** `adjustments:<environment>:<currency>`. */
export function formatAdjustments(environment: Environment, currency: string): string {
  return `adjustments:${environment}:${currency}`;
}
