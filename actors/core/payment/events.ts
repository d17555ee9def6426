// What has happened to a payment. The stored form (wire/event.ts) leaves out what people wrote.
import type { Environment, MerchantId, OrderId, PaymentId, RefundId } from '../ids.js';
import type { AmountMinor } from '../money.js';
import type { ChargeableMethod } from '../payment-methods.js';
import type { Instructions, RailName, Settlement } from '../rails/answers.js';
import type { PaymentRequest } from './request.js';
import type { FailureCode } from './state.js';

interface Happened {
  readonly paymentId: PaymentId;
  /** The payment's version after this event: its events count from 1. */
  readonly version: number;
  readonly atMs: number;
}

/** An attempt begins: a LIVE rail is asked, the sandbox opens it at once. */
export interface AttemptPlan {
  readonly orderId: OrderId;
  readonly rail: RailName;
  readonly method: ChargeableMethod | null;
  readonly nextRails: readonly RailName[];
}

export interface PaymentCreated extends Happened {
  readonly type: 'payment_created';
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly request: PaymentRequest;
  readonly fingerprint: string;
  readonly expiresAtMs: number;
  readonly attempt: AttemptPlan | null;
}
export interface AttemptStarted extends Happened {
  readonly type: 'attempt_started';
  readonly attempt: AttemptPlan;
}
export interface AttemptAccepted extends Happened {
  readonly type: 'attempt_accepted';
  readonly orderId: OrderId;
  readonly railReference: string | null;
  readonly instructions: Instructions | null;
}
export interface AttemptRefused extends Happened {
  readonly type: 'attempt_refused';
  readonly orderId: OrderId;
  /** No other rail is tried in its place. */
  readonly isLast: boolean;
}
/** The answer to the charge is lost: a look-up goes on. */
export interface AttemptUnconfirmed extends Happened {
  readonly type: 'attempt_unconfirmed';
  readonly orderId: OrderId;
}
/** The rail confirmed that nobody can pay it any more. */
export interface AttemptClosed extends Happened {
  readonly type: 'attempt_closed';
  readonly orderId: OrderId;
}
export interface CancelRequested extends Happened {
  readonly type: 'cancel_requested';
}
export interface CancelRefused extends Happened {
  readonly type: 'cancel_refused';
}
export interface ExpiryRequested extends Happened {
  readonly type: 'expiry_requested';
}
export interface MethodChangeRequested extends Happened {
  readonly type: 'method_change_requested';
  readonly method: ChargeableMethod;
  readonly rail: RailName;
  readonly nextRails: readonly RailName[];
}
export interface MethodChangeRefused extends Happened {
  readonly type: 'method_change_refused';
}
export interface CloseUnconfirmed extends Happened {
  readonly type: 'close_unconfirmed';
  readonly purpose: 'cancel' | 'switch';
}
export interface PaymentPaid extends Happened {
  readonly type: 'payment_paid';
  readonly settlement: Settlement;
  readonly isLate: boolean;
  readonly holdUntilMs: number | null;
}
export interface PaymentFailed extends Happened {
  readonly type: 'payment_failed';
  readonly failureCode: Exclude<FailureCode, 'reversed'>;
  /** The attempt that failed at the rail, where it did. */
  readonly orderId: OrderId | null;
}
export interface PaymentCancelled extends Happened {
  readonly type: 'payment_cancelled';
}
export interface PaymentReversed extends Happened {
  readonly type: 'payment_reversed';
}
/** What people wrote was forgotten; with the merchant's references, if asked. */
export interface PaymentErased extends Happened {
  readonly type: 'payment_erased';
  readonly withReference: boolean;
}
export interface HoldReleased extends Happened {
  readonly type: 'hold_released';
}

/** Why money that came is not the payment's: it stands in the suspense account. */
export type SuspenseReason =
  'order_unknown' | 'amount_differs' | 'currency_differs' | 'already_paid';

export interface SettlementSuspended extends Happened {
  readonly type: 'settlement_suspended';
  readonly settlement: Settlement;
  readonly reason: SuspenseReason;
}
/** Money that is booked on another payment already: it counts once, so nothing moves here. */
export interface SettlementUnapplied extends Happened {
  readonly type: 'settlement_unapplied';
  readonly settlement: Settlement;
}
/** Money in suspense was taken back by the rail. */
export interface SuspenseReversed extends Happened {
  readonly type: 'suspense_reversed';
  readonly rail: RailName;
  readonly railTransactionId: string;
  readonly amountMinor: AmountMinor;
  readonly currency: string;
}
/**
 * A reversal that moves no money here: of a transaction never seen, of one that is booked on another payment,
 * or of a payment refunded in full.
 */
export interface ReversalUnapplied extends Happened {
  readonly type: 'reversal_unapplied';
  readonly rail: RailName;
  readonly railTransactionId: string;
  readonly reason: 'transaction_unknown' | 'transaction_elsewhere' | 'refunded';
}

export interface RefundRequested extends Happened {
  readonly type: 'refund_requested';
  readonly refundId: RefundId;
  readonly amountMinor: AmountMinor;
  readonly requestedMinor: AmountMinor | null;
  readonly reason: string | null;
  readonly referenceId: string | null;
}
/** The rail is asked: refunds of one payment go to it one at a time. */
export interface RefundSubmitted extends Happened {
  readonly type: 'refund_submitted';
  readonly refundId: RefundId;
}
export interface RefundLeftPending extends Happened {
  readonly type: 'refund_left_pending';
  readonly refundId: RefundId;
}
export interface RefundMadeManual extends Happened {
  readonly type: 'refund_made_manual';
  readonly refundId: RefundId;
}
export interface RefundSucceeded extends Happened {
  readonly type: 'refund_succeeded';
  readonly refundId: RefundId;
  readonly externalReference: string | null;
}
export interface RefundFailed extends Happened {
  readonly type: 'refund_failed';
  readonly refundId: RefundId;
  readonly externalReference: string | null;
}
/** The rail calls a refund done that we have booked as failed. */
export interface RefundContradicted extends Happened {
  readonly type: 'refund_contradicted';
  readonly refundId: RefundId;
}

export type RefundEvent =
  | RefundRequested
  | RefundSubmitted
  | RefundLeftPending
  | RefundMadeManual
  | RefundSucceeded
  | RefundFailed
  | RefundContradicted;

export type AttemptEvent =
  AttemptStarted | AttemptAccepted | AttemptRefused | AttemptUnconfirmed | AttemptClosed;

/** Questions to the rail, and answers that leave the status as it is. */
export type CloseEvent =
  | CancelRequested
  | CancelRefused
  | ExpiryRequested
  | MethodChangeRequested
  | MethodChangeRefused
  | CloseUnconfirmed;

export type MoneyEvent =
  | PaymentPaid
  | PaymentReversed
  | HoldReleased
  | SettlementSuspended
  | SettlementUnapplied
  | SuspenseReversed
  | ReversalUnapplied;

export type PaymentEvent =
  | PaymentCreated
  | PaymentFailed
  | PaymentCancelled
  | PaymentErased
  | AttemptEvent
  | CloseEvent
  | MoneyEvent
  | RefundEvent;

export type EventType = PaymentEvent['type'];
