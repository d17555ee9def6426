// The postings of corrections of a merchant's balance (LIVE only).
//
//   adjustment_credit  the platform gives the merchant money   adjustments ──▶ merchant_available
//   adjustment_debit   the platform takes it                   merchant_available ──▶ adjustments
//   reserve_hold       money that may not be paid out          merchant_available ──▶ merchant_reserve
//   reserve_release    it may be paid out again                merchant_reserve ──▶ merchant_available
import type { MerchantId } from '../ids.js';
import { formatAdjustments, formatMerchantAccount } from '../ledger/accounts.js';
import type { Money } from '../ledger/postings.js';
import type { BalanceCorrection } from './kinds.js';

export type ApprovalPostingReason =
  'adjustment_credited' | 'adjustment_debited' | 'reserve_held' | 'reserve_released';

export interface ApprovalPosting extends Money {
  readonly debit: string;
  readonly credit: string;
  readonly reason: ApprovalPostingReason;
  /** The debit account may not fall below zero. */
  readonly isLimited: boolean;
}

export interface BalanceChange extends Money {
  readonly kind: BalanceCorrection;
  readonly merchantId: MerchantId;
}

/** A debited balance may fall below zero, which blocks payouts: the money may have left already. */
export function buildApprovalPosting(change: BalanceChange): ApprovalPosting {
  const { kind, merchantId, amountMinor, currency } = change;
  const available = formatMerchantAccount('merchant_available', merchantId, 'LIVE', currency);
  const reserve = formatMerchantAccount('merchant_reserve', merchantId, 'LIVE', currency);
  const adjustments = formatAdjustments('LIVE', currency);
  const [debit, credit, reason, isLimited] = (
    {
      adjustment_credit: [adjustments, available, 'adjustment_credited', false],
      adjustment_debit: [available, adjustments, 'adjustment_debited', false],
      reserve_hold: [available, reserve, 'reserve_held', true],
      reserve_release: [reserve, available, 'reserve_released', true],
    } as const
  )[kind];
  return { debit, credit, amountMinor, currency, reason, isLimited };
}
