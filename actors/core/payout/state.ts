// A payout as its events made it. The first event moves the money from the merchant's available
// balance to payout_clearing; it stays there until the result is known.
//
//   PENDING ──sent──▶ PROCESSING ──▶ COMPLETED ──▶ REVERSED
//      │                  └────────▶ FAILED
//      ├──cancelled──▶ FAILED
//      └──no rail pays out──▶ MANUAL_REQUIRED ──an administrator──▶ COMPLETED, FAILED
//
// An administrator also reverses a completed payout whose money came back, and completes a failed
// one that was paid after all, when its rail has contradicted itself.
import type { Environment, MerchantId, PayoutId } from '../ids.js';
import type { AmountMinor, Currency } from '../money.js';
import type { RailName } from '../rails/rail-names.js';
import type { PayoutContradiction, PayoutFailureCode, PayoutStatus } from '../statuses.js';

/** The parsed fields of a payout request. */
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
  /** The number of events so far. */
  readonly version: number;
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly request: PayoutRequest;
  /** A hash of the request (requests/create-payout.ts). */
  readonly fingerprint: string;
  readonly status: PayoutStatus;
  /**
   * Stored before the call and never changed. null: no rail was asked yet, or an administrator pays
   * by hand.
   */
  readonly rail: RailName | null;
  /** The rail's own id of it; null until the rail has given one. */
  readonly railReference: string | null;
  /** The reference of the administrator who completed or failed it. */
  readonly externalReference: string | null;
  readonly failureCode: PayoutFailureCode | null;
  /**
   * It waits for long, and a task is open. PENDING: nothing has sent it. PROCESSING: its rail has
   * reported no result, and an administrator may end the payout.
   */
  readonly isUnresolved: boolean;
  /** The rail's latest word against this record: a task was opened, and no money was moved. */
  readonly contradiction: PayoutContradiction | null;
  /** The time at which a person decided about it; null: nobody has, or there is none. */
  readonly contradictionClosedAtMs: number | null;
  /**
   * A person decided that the money of this FAILED or REVERSED payout has left, and the platform
   * bears it.
   */
  readonly isWrittenOff: boolean;
  /** The reference of the administrator who reversed it. */
  readonly reversalReference: string | null;
  readonly createdAtMs: number;
  readonly sentAtMs: number | null;
  readonly completedAtMs: number | null;
  readonly failedAtMs: number | null;
  readonly reversedAtMs: number | null;
  /** The time at which a FAILED payout was found to be paid. */
  readonly correctedAtMs: number | null;
}
