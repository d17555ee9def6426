// What payment rails say, in our own words: adapters translate into these, the state machine reads nothing
// else. Every question can be answered "unknown" (a time-out, a 404, an answer that makes no sense), which
// never counts as a refusal: the money may still come.
import type { OrderId } from '../ids.js';
import type { AmountMinor, Currency } from '../money.js';

export type LiveRailName = 'midtrans' | 'xendit';
/** TEST has the sandbox alone, and LIVE never goes there. */
export type RailName = 'sandbox' | LiveRailName;
export const LIVE_RAIL_NAMES: readonly LiveRailName[] = ['midtrans', 'xendit'];
export const RAIL_NAMES: readonly RailName[] = ['sandbox', ...LIVE_RAIL_NAMES];

/** What the customer needs in order to pay. */
export type Instructions =
  | { readonly kind: 'qr'; readonly payload: string }
  | {
      readonly kind: 'virtual_account';
      readonly number: string;
      readonly billerCode: string | null;
    };

/** Money that a rail says it has received, under the rail's own id, which is unique at that rail. */
export interface Settlement {
  readonly rail: RailName;
  readonly railTransactionId: string;
  readonly orderId: OrderId;
  readonly amountMinor: AmountMinor;
  /** As the rail says it; it need not be a currency that we offer. */
  readonly currency: string;
  readonly settledAtMs: number | null;
}

export type ChargeAnswer =
  | {
      readonly result: 'accepted';
      readonly railReference: string | null;
      readonly instructions: Instructions | null;
    }
  | { readonly result: 'refused' }
  | { readonly result: 'unknown' };

/** To "make sure that nobody can pay this order any more". */
export type CloseAnswer =
  | { readonly result: 'closed' }
  | { readonly result: 'settled'; readonly settlement: Settlement }
  | { readonly result: 'refused' }
  | { readonly result: 'unknown' };

/** pending: the rail took it and will tell how it ended. manual_required: the rail cannot refund this. */
export type RefundAnswer =
  | { readonly result: 'succeeded'; readonly railReference: string | null }
  | { readonly result: 'pending'; readonly railReference: string | null }
  | { readonly result: 'failed' }
  | { readonly result: 'manual_required' }
  | { readonly result: 'unknown' };

/** pending: the rail took it and will tell how it ended. reversed: the bank sent it back after it was done. */
export type PayoutAnswer =
  | { readonly result: 'completed'; readonly railReference: string | null }
  | { readonly result: 'pending'; readonly railReference: string | null }
  | { readonly result: 'reversed'; readonly railReference: string | null }
  | { readonly result: 'failed'; readonly failureCode: PayoutFailureCode }
  | { readonly result: 'unknown' };

/** Why a payout failed, towards merchants. */
export type PayoutFailureCode =
  'account_invalid' | 'rejected_by_bank' | 'bank_unavailable' | 'processing_failed';

/** Money to be sent to a bank account: what a rail is told of it. */
export interface PayoutOrder {
  /** Ours, and the rail's idempotency key and reference for it: `po_…`. */
  readonly payoutId: string;
  readonly amountMinor: AmountMinor;
  readonly currency: Currency;
  /** The bank as merchants name it: `BCA`, `BNI`, `BRI`, `MANDIRI`, `PERMATA`, … */
  readonly bankCode: string;
  readonly accountNumber: string;
  readonly accountHolder: string;
  readonly description: string | null;
  /** The rail's own id of it, once it told one. */
  readonly railReference: string | null;
}
