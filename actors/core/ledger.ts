// Accounts and postings (double entry). A posting moves an amount above zero from the debit to the credit
// account, so the books balance by construction; an account's balance is its credits less its debits.
//
//   rail_clearing       what a rail owes us (below zero: it holds money for us)
//   merchant_pending    the merchant's, not yet to be paid out; merchant_available the merchant's, free
//   refund_clearing     taken from the merchant for refunds that are under way
//   payout_clearing     taken from the merchant for payouts that are under way
//   suspense            money that came for a merchant's payment and is not the payment's
//   platform_suspense   money that came for an order that nobody knows
//   fees                what rails keep and we bear: booked by their reports (rails/bookings.ts); nothing by default
import type { Environment, MerchantId } from './ids.js';
import type { AmountMinor } from './money.js';
import type { RailName } from './rails/answers.js';

export const MERCHANT_ACCOUNTS = [
  'merchant_pending',
  'merchant_available',
  'refund_clearing',
  'payout_clearing',
  'suspense',
] as const;
export type MerchantAccount = (typeof MERCHANT_ACCOUNTS)[number];
export type RailAccount = 'rail_clearing' | 'fees';

export type PaymentPostingReason =
  | 'payment_paid'
  | 'payment_reversed'
  | 'hold_released'
  | 'refund_requested'
  | 'refund_succeeded'
  | 'refund_failed'
  | 'settlement_suspended'
  | 'suspense_reversed';
export type PayoutPostingReason =
  | 'payout_requested'
  | 'payout_completed'
  | 'payout_failed'
  | 'payout_reversed'
  | 'payout_corrected';
export type PostingReason = PaymentPostingReason | PayoutPostingReason;

export interface Money {
  readonly amountMinor: AmountMinor;
  readonly currency: string;
}

export interface Posting extends Money {
  readonly debit: string;
  readonly credit: string;
  readonly reason: PostingReason;
}

/** `<account>:<merchant>:<environment>:<currency>`; never compare TEST with LIVE, their keys differ. */
export function merchantAccount(
  account: MerchantAccount,
  merchantId: MerchantId,
  environment: Environment,
  currency: string,
): string {
  return `${account}:${merchantId}:${environment}:${currency}`;
}

/** In the place of a rail: what an administrator pays by hand, from our own bank account. */
export const MANUAL = 'manual';

/** `<account>:<rail>:<environment>:<currency>`. */
export function railAccount(
  account: RailAccount,
  rail: RailName | typeof MANUAL,
  environment: Environment,
  currency: string,
): string {
  return `${account}:${rail}:${environment}:${currency}`;
}

/** `platform_suspense:<environment>:<currency>`. */
export function platformSuspense(environment: Environment, currency: string): string {
  return `platform_suspense:${environment}:${currency}`;
}

/** The posting that moves the money, or none when there is nothing to move. */
export function transfer(
  debit: string,
  credit: string,
  money: Money,
  reason: PostingReason,
): readonly Posting[] {
  if (money.amountMinor <= 0n) return [];
  const { amountMinor, currency } = money;
  return [{ debit, credit, amountMinor, currency, reason }];
}
