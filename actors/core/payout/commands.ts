// What can be asked of a payout: by the merchant, by the rails process, by an administrator.
import type { Environment, MerchantId, PayoutId } from '../ids.js';
import type { PayoutAnswer, RailName } from '../rails/answers.js';
import type { PayoutRequest } from './state.js';

/** The id is derived from the idempotency key, so a repeat asks for the same payout. */
export interface RequestPayout {
  readonly type: 'request';
  readonly payoutId: PayoutId;
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly request: PayoutRequest;
  readonly fingerprint: string;
  /** The merchant's, read under the lock of the statement that takes it. Below zero after refunds of paid-out money. */
  readonly availableMinor: bigint;
}

/** From here on nobody but this rail may be asked, and it only once. */
export interface SendPayout {
  readonly type: 'send';
  readonly rail: RailName;
}

/** No rail pays out. */
export interface MakeManual {
  readonly type: 'make_manual';
}

/** What the rail said, to the payout itself or to a look-up. */
export interface AnswerPayout {
  readonly type: 'answer';
  readonly answer: PayoutAnswer;
}

/** The rail has not said for long what became of it. */
export interface LeaveUnresolved {
  readonly type: 'leave_unresolved';
}

/**
 * By an administrator, who paid it or had the rail's word; also of one that had failed and was paid all the same, as
 * its rail said afterwards: the merchant, who had the money back, bears it.
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

/** By an administrator: it was completed, and the money came back, by a way on which the rail tells nothing of it. */
export interface ReversePayout {
  readonly type: 'reverse';
  readonly externalReference: string;
}

export type LaterCommand =
  | SendPayout
  | MakeManual
  | AnswerPayout
  | LeaveUnresolved
  | CompletePayout
  | FailPayout
  | ReversePayout;
export type PayoutCommand = RequestPayout | LaterCommand;
