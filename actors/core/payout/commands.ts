// The commands of a payout: from the merchant, the rails process or an administrator.
import type { Environment, MerchantId, PayoutId } from '../ids.js';
import type { PayoutAnswer } from '../rails/answers.js';
import type { RailName } from '../rails/rail-names.js';
import type { PayoutRequest } from './state.js';

/** The id is derived from the idempotency key, so a repeat finds the same payout. */
export interface RequestPayout {
  readonly type: 'request';
  readonly payoutId: PayoutId;
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly request: PayoutRequest;
  readonly fingerprint: string;
  /**
   * The balance, read under the lock of the statement that takes it. Below zero after refunds of
   * paid-out money.
   */
  readonly availableMinor: bigint;
}

/** From here on only this rail may be asked, and only once. */
export interface SendPayout {
  readonly type: 'send';
  readonly rail: RailName;
}

/** No rail pays out. */
export interface MakeManual {
  readonly type: 'make_manual';
}

/** The rail's answer to the payout itself or to a status inquiry. */
export interface AnswerPayout {
  readonly type: 'answer';
  readonly answer: PayoutAnswer;
}

/** Nothing has sent it for long, or its rail has reported no result for long. */
export interface LeaveUnresolved {
  readonly type: 'leave_unresolved';
  /** The status in which it waits; without effect in another one. */
  readonly status: 'PENDING' | 'PROCESSING';
}

/**
 * By an administrator who paid it by hand or confirmed its result. Also for a FAILED payout that
 * its rail reported as paid afterwards: the merchant got the money back, so the amount is taken
 * again.
 */
export interface CompletePayout {
  readonly type: 'complete';
  readonly externalReference: string;
}

/** By an administrator: the money was not sent, and goes back to the merchant. */
export interface FailPayout {
  readonly type: 'fail';
  readonly externalReference: string;
}

/** By an administrator: the money of a completed payout came back without a report of the rail. */
export interface ReversePayout {
  readonly type: 'reverse';
  readonly externalReference: string;
}

/** By the merchant or an administrator, before anything is sent: the money goes back. */
export interface CancelPayout {
  readonly type: 'cancel';
  /** The administrator's; null: the merchant cancels. */
  readonly externalReference: string | null;
}

export type LaterCommand =
  | SendPayout
  | MakeManual
  | AnswerPayout
  | LeaveUnresolved
  | CompletePayout
  | FailPayout
  | ReversePayout
  | CancelPayout;
export type PayoutCommand = RequestPayout | LaterCommand;
