// Postings. Each moves an amount above zero from its debit account to its credit account, so the
// books balance by construction.
import type { AmountMinor } from '../money.js';

export const PAYMENT_POSTING_REASONS = [
  'payment_paid',
  'payment_reversed',
  'hold_released',
  'refund_requested',
  'refund_succeeded',
  'refund_failed',
  'refund_corrected',
  'refund_recorded',
  'charged_back',
  'settlement_suspended',
  'suspense_reversed',
] as const;
export type PaymentPostingReason = (typeof PAYMENT_POSTING_REASONS)[number];

export const PAYOUT_POSTING_REASONS = [
  'payout_requested',
  'payout_completed',
  'payout_failed',
  'payout_reversed',
  'payout_corrected',
] as const;
export type PayoutPostingReason = (typeof PAYOUT_POSTING_REASONS)[number];
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

/** The posting that moves the money; none when the amount is zero. */
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
