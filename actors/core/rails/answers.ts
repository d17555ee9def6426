// The answers of payment rails in the core's own terms: adapters translate into them, and the state
// machine reads nothing else. Every call can be answered "unknown" (a time-out, a 404, an answer
// without sense), which never counts as a refusal: the money may still come.
import type { OrderId } from '../ids.js';
import type { AmountMinor, Currency } from '../money.js';
import type { GivenBackKind, PayoutFailureCode } from '../statuses.js';
import type { RailName } from './rail-names.js';

/** The data with which the customer pays. */
export type Instructions =
  | { readonly kind: 'qr'; readonly payload: string }
  | {
      readonly kind: 'virtual_account';
      readonly number: string;
      readonly billerCode: string | null;
    };

/** Money that a rail reports as received, under a transaction id that is unique at that rail. */
export interface Settlement {
  readonly rail: RailName;
  readonly railTransactionId: string;
  readonly orderId: OrderId;
  readonly amountMinor: AmountMinor;
  /** As the rail reports it; it may be a currency that no payment method takes. */
  readonly currency: string;
  readonly settledAtMs: number | null;
}

/** Money that a rail gave back to the customer: a refund of ours, or one that the rail made by itself. */
export interface GivenBack {
  /** Unique at the rail. */
  readonly railRefundId: string;
  /** The key under which it was requested; ours, or one of the rail's dashboard. */
  readonly refundKey: string | null;
  readonly kind: GivenBackKind;
  readonly amountMinor: AmountMinor;
}

export type ChargeAnswer =
  | {
      readonly result: 'accepted';
      readonly railReference: string | null;
      readonly instructions: Instructions | null;
    }
  | { readonly result: 'refused' }
  | { readonly result: 'unknown' };

/** The answer to "make sure that nobody can pay this order any more". */
export type CloseAnswer =
  | { readonly result: 'closed' }
  | { readonly result: 'settled'; readonly settlement: Settlement }
  | { readonly result: 'refused' }
  | { readonly result: 'unknown' };

/**
 * pending: the rail accepted it and will report its result. manual_required: the rail cannot refund
 * this.
 */
export type RefundAnswer =
  | { readonly result: 'succeeded'; readonly railReference: string | null }
  | { readonly result: 'pending'; readonly railReference: string | null }
  | { readonly result: 'failed' }
  | { readonly result: 'manual_required' }
  | { readonly result: 'unknown' };

/**
 * pending: the rail accepted it and will report its result. reversed: the bank sent it back after
 * completion.
 */
export type PayoutAnswer =
  | { readonly result: 'completed'; readonly railReference: string | null }
  | { readonly result: 'pending'; readonly railReference: string | null }
  | { readonly result: 'reversed'; readonly railReference: string | null }
  | { readonly result: 'failed'; readonly failureCode: PayoutFailureCode }
  | { readonly result: 'unknown' };

/** A payout as a rail gets it. */
export interface PayoutOrder {
  /** `po_…`; also the rail's idempotency key and reference. */
  readonly payoutId: string;
  readonly amountMinor: AmountMinor;
  readonly currency: Currency;
  /** The bank's code in the API: `BCA`, `BNI`, `BRI`, `MANDIRI`, `PERMATA`, … */
  readonly bankCode: string;
  readonly accountNumber: string;
  readonly accountHolder: string;
  readonly description: string | null;
  /** The rail's own id of it; null until the rail has given one. */
  readonly railReference: string | null;
}
