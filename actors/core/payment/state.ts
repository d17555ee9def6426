// A payment as its events made it: the snapshot. What the customer and the merchant wrote stands here and
// nowhere else (events do not repeat it), so that it can be erased in one place.
import type { Environment, MerchantId, OrderId, PaymentId, RefundId } from '../ids.js';
import { addMinor, type AmountMinor, subtractMinor, ZERO_MINOR } from '../money.js';
import type { ChargeableMethod } from '../payment-methods.js';
import type { Instructions, RailName } from '../rails/answers.js';
import type { PaymentRequest } from './request.js';

/** creating: LIVE only, until the rail has answered; merchants are never shown it. */
export type PaymentStatus = 'creating' | 'pending' | 'paid' | 'failed' | 'cancelled' | 'refunded';
export type FailureCode = 'expired' | 'declined' | 'processing_failed' | 'simulated' | 'reversed';

/** charging: asked, not answered. open: the customer can pay. */
export type AttemptStatus = 'charging' | 'open' | 'refused' | 'closed' | 'failed' | 'settled';

/** One try at one rail, with an order id of its own. TEST attempts open at once and keep no instructions. */
export interface Attempt {
  readonly number: number;
  readonly orderId: OrderId;
  readonly rail: RailName;
  /** null: TEST, where the customer has not chosen yet. */
  readonly method: ChargeableMethod | null;
  readonly status: AttemptStatus;
  /** The rail's answer to the charge was lost; a look-up goes on. */
  readonly isUnconfirmed: boolean;
  readonly railReference: string | null;
  readonly instructions: Instructions | null;
}

/**
 * Every transaction of a rail that named this payment: a second mention has no effect. elsewhere: it is booked
 * on another payment, and counts nothing here.
 */
export interface RailTransaction {
  readonly rail: RailName;
  readonly id: string;
  readonly standing: 'captured' | 'suspended' | 'elsewhere' | 'reversed';
  readonly amountMinor: AmountMinor;
  readonly currency: string;
}

/** Why a rail is asked to close an order. */
export type ClosePurpose = 'cancel' | 'expire' | 'switch' | 'supersede';
export const CLOSE_PURPOSES: readonly ClosePurpose[] = ['cancel', 'expire', 'switch', 'supersede'];

/** A question to the rail whose answer decides what becomes of the payment. */
export interface CloseRequest {
  readonly requestedAtMs: number;
  readonly isUnconfirmed: boolean;
}

export interface MethodChange extends CloseRequest {
  readonly method: ChargeableMethod;
  readonly rail: RailName;
  readonly nextRails: readonly RailName[];
}

/** The settlement that paid the payment. */
export interface Capture {
  readonly rail: RailName;
  readonly railTransactionId: string;
  readonly orderId: OrderId;
  /** LIVE: while this is set, the money stands in merchant_pending. */
  readonly holdUntilMs: number | null;
}

/** queued: waits for another refund of the payment. asked: the rail is at it. */
export type RefundStatus = 'queued' | 'asked' | 'manual_required' | 'succeeded' | 'failed';

export interface Refund {
  readonly id: RefundId;
  readonly status: RefundStatus;
  readonly amountMinor: AmountMinor;
  /** What was asked for, to know a repeated request again; null: all that was left. */
  readonly requestedMinor: AmountMinor | null;
  readonly reason: string | null;
  readonly referenceId: string | null;
  readonly externalReference: string | null;
  readonly createdAtMs: number;
  readonly completedAtMs: number | null;
  /** The rail has not said yet how it ended, and those who waited were told so. */
  readonly isLeftPending: boolean;
  /** The rail called it done after we had booked it as failed: told to an operator once. */
  readonly isContradicted: boolean;
}

interface PaymentFacts {
  readonly id: PaymentId;
  /** The number of events up to here. */
  readonly version: number;
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly request: PaymentRequest;
  readonly fingerprint: string;
  readonly attempts: readonly Attempt[];
  /** To be tried, in order, when the rail of the latest attempt refuses. */
  readonly nextRails: readonly RailName[];
  readonly railTransactions: readonly RailTransaction[];
  readonly refunds: readonly Refund[];
  readonly cancelRequest: CloseRequest | null;
  readonly expiryRequestedAtMs: number | null;
  readonly methodChange: MethodChange | null;
  readonly isLate: boolean;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly paidAtMs: number | null;
  readonly failedAtMs: number | null;
  readonly cancelledAtMs: number | null;
  readonly refundedAtMs: number | null;
  /** Since then it holds nothing that people wrote, and takes no more of it. */
  readonly erasedAtMs: number | null;
}

export type OpenPayment = PaymentFacts & {
  readonly status: 'creating' | 'pending';
  readonly failureCode: null;
  readonly capture: null;
};
export type PaidPayment = PaymentFacts & {
  readonly status: 'paid' | 'refunded';
  readonly failureCode: null;
  readonly capture: Capture;
  readonly paidAtMs: number;
};
export type FailedPayment = PaymentFacts & {
  readonly status: 'failed';
  readonly failureCode: FailureCode;
  readonly failedAtMs: number;
  /** Set when the payment had been paid: it was reversed. */
  readonly capture: Capture | null;
};
export type CancelledPayment = PaymentFacts & {
  readonly status: 'cancelled';
  readonly failureCode: null;
  readonly capture: null;
};
export type PaymentState = OpenPayment | PaidPayment | FailedPayment | CancelledPayment;

/** Whether a simulated outcome stands; a payment that was refunded had been paid. */
export function hasReached(state: PaymentState, outcome: 'paid' | 'failed'): boolean {
  if (outcome === 'failed') return state.status === 'failed';
  return state.status === 'paid' || state.status === 'refunded';
}

export function isOpen(state: PaymentState): state is OpenPayment {
  return state.status === 'creating' || state.status === 'pending';
}

export function latestAttempt(state: PaymentState): Attempt | undefined {
  return state.attempts.at(-1);
}

export function findAttempt(state: PaymentState, orderId: OrderId): Attempt | undefined {
  return state.attempts.find((attempt) => attempt.orderId === orderId);
}

/** Whether a customer could (still) pay it at the rail. */
export function isPayable(attempt: Attempt): boolean {
  return attempt.status === 'open' || attempt.status === 'charging';
}

export function findRefund(state: PaymentState, id: RefundId): Refund | undefined {
  return state.refunds.find((refund) => refund.id === id);
}

export function isRefundOpen(refund: Refund): boolean {
  return refund.status !== 'succeeded' && refund.status !== 'failed';
}

function sumRefunds(state: PaymentState, isCounted: (refund: Refund) => boolean): AmountMinor {
  return state.refunds.reduce(
    (sum, refund) => (isCounted(refund) ? addMinor(sum, refund.amountMinor) : sum),
    ZERO_MINOR,
  );
}

export function refundedMinor(state: PaymentState): AmountMinor {
  return sumRefunds(state, (refund) => refund.status === 'succeeded');
}

export function openRefundsMinor(state: PaymentState): AmountMinor {
  return sumRefunds(state, isRefundOpen);
}

/** What a refund may still ask for: nothing unless the payment is paid. */
export function refundableMinor(state: PaymentState): AmountMinor {
  if (state.status !== 'paid') return ZERO_MINOR;
  const spoken = sumRefunds(state, (refund) => refund.status !== 'failed');
  return subtractMinor(state.request.amountMinor, spoken);
}

/** Zero for a refund that does not exist. */
export function refundAmount(state: PaymentState, id: RefundId): AmountMinor {
  return findRefund(state, id)?.amountMinor ?? ZERO_MINOR;
}
