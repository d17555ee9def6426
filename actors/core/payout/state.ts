// A payout as its events have made it. Its money left the merchant's available balance with the first of them
// and stands in payout_clearing until it is known where it went.
//
//   PENDING ──sent──▶ PROCESSING ──▶ COMPLETED ──▶ REVERSED
//      │                  └────────▶ FAILED
//      └──no rail pays out──▶ MANUAL_REQUIRED ──an administrator──▶ COMPLETED, FAILED
//
// An administrator also says that a completed one came back (REVERSED), and that a failed one was paid after all
// (COMPLETED), where its rail had contradicted itself.
import type { Environment, MerchantId, PayoutId } from '../ids.js';
import type { AmountMinor, Currency } from '../money.js';
import type { PayoutFailureCode, RailName } from '../rails/answers.js';

export const PAYOUT_STATUSES = [
  'PENDING',
  'PROCESSING',
  'COMPLETED',
  'FAILED',
  'MANUAL_REQUIRED',
  'REVERSED',
] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** What the merchant asked for. */
export interface PayoutRequest {
  readonly amountMinor: AmountMinor;
  readonly currency: Currency;
  readonly bankCode: string;
  readonly accountNumber: string;
  readonly accountHolder: string;
  readonly referenceId: string | null;
  readonly description: string | null;
}

export interface PayoutState {
  readonly id: PayoutId;
  /** Counts the events. */
  readonly version: number;
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly request: PayoutRequest;
  /** Of the request: requests/create-payout.ts. */
  readonly fingerprint: string;
  readonly status: PayoutStatus;
  /** Stored before it is asked, for good. null: nobody was asked yet, or an administrator pays by hand. */
  readonly rail: RailName | null;
  /** The rail's own id of it, once it told one. */
  readonly railReference: string | null;
  /** What an administrator who completed or failed it refers to. */
  readonly externalReference: string | null;
  readonly failureCode: PayoutFailureCode | null;
  /** The rail has not said for long what became of it: a task is open, and an administrator may end it. */
  readonly isUnresolved: boolean;
  /** The rail said something that cannot follow on what it had said: a task is open, and no money was moved. */
  readonly isContradicted: boolean;
  /** Since when a person has settled that what stands here is true. */
  readonly contradictionClosedAtMs: number | null;
  /** What an administrator refers to by whose word it is REVERSED. */
  readonly reversalReference: string | null;
  readonly createdAtMs: number;
  readonly sentAtMs: number | null;
  readonly completedAtMs: number | null;
  readonly failedAtMs: number | null;
  readonly reversedAtMs: number | null;
  /** When it turned out that it had not failed. */
  readonly correctedAtMs: number | null;
}
