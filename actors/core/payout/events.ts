// The events of a payout. Each makes the next version.
import type { Environment, MerchantId, PayoutId } from '../ids.js';
import type { RailName } from '../rails/rail-names.js';
import type { PayoutContradiction, PayoutFailureCode } from '../statuses.js';
import type { PayoutRequest } from './state.js';

interface EventBase {
  readonly payoutId: PayoutId;
  readonly version: number;
  readonly atMs: number;
}

export interface PayoutRequested extends EventBase {
  readonly type: 'payout_requested';
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly request: PayoutRequest;
  readonly fingerprint: string;
}

/** Stored before the call to the rail. */
export interface PayoutSent extends EventBase {
  readonly type: 'payout_sent';
  readonly rail: RailName;
}

/** The rail accepted it under this id and will report its result. */
export interface PayoutAccepted extends EventBase {
  readonly type: 'payout_accepted';
  readonly railReference: string;
}

/** `externalReference` is set when an administrator completed it. */
export interface PayoutCompleted extends EventBase {
  readonly type: 'payout_completed';
  readonly railReference: string | null;
  readonly externalReference: string | null;
}

export interface PayoutFailed extends EventBase {
  readonly type: 'payout_failed';
  readonly failureCode: PayoutFailureCode;
  readonly externalReference: string | null;
}

/**
 * The bank sent it back after completion; `externalReference` is set when an administrator reversed
 * it.
 */
export interface PayoutReversed extends EventBase {
  readonly type: 'payout_reversed';
  readonly externalReference: string | null;
}

/** It was booked as failed but paid. */
export interface PayoutCorrected extends EventBase {
  readonly type: 'payout_corrected';
  readonly externalReference: string;
}

export interface PayoutMadeManual extends EventBase {
  readonly type: 'payout_made_manual';
}

export interface PayoutLeftUnresolved extends EventBase {
  readonly type: 'payout_left_unresolved';
}

export interface PayoutContradicted extends EventBase {
  readonly type: 'payout_contradicted';
  readonly result: PayoutContradiction;
}

export type PayoutEvent =
  | PayoutRequested
  | PayoutSent
  | PayoutAccepted
  | PayoutCompleted
  | PayoutFailed
  | PayoutReversed
  | PayoutCorrected
  | PayoutMadeManual
  | PayoutLeftUnresolved
  | PayoutContradicted;
