// A payment as its events made it: the snapshot. It alone holds the texts of the customer and the
// merchant (events do not repeat them), so that they can be erased in one place.
import type { Environment, MerchantId, OrderId, PaymentId, RefundId } from '../ids.js';
import { addMinor, type AmountMinor, type Currency, subtractMinor, ZERO_MINOR } from '../money.js';
import type { ChargeableMethod, PaymentMethodId } from '../payment-methods.js';
import type { Instructions } from '../rails/answers.js';
import type { RailName } from '../rails/rail-names.js';
import type {
  AttemptStatus,
  FailureCode,
  RefundOrigin,
  RefundStatus,
  TransactionState,
} from '../statuses.js';

/** The parsed fields of a create request. */
export interface PaymentRequest {
  readonly amountMinor: AmountMinor;
  readonly currency: Currency;
  readonly description: string | null;
  readonly referenceId: string | null;
  readonly paymentMethod: PaymentMethodId | null;
  readonly customerName: string | null;
  readonly customerEmail: string | null;
  readonly customerPhone: string | null;
  readonly successUrl: string | null;
  readonly cancelUrl: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** null: the payment method's default. */
  readonly expiresInS: number | null;
}

/**
 * One try at one rail, with an order id of its own. TEST attempts open at once and have no
 * instructions.
 */
export interface Attempt {
  readonly number: number;
  readonly orderId: OrderId;
  readonly rail: RailName;
  /** null: TEST, until the customer has chosen. */
  readonly method: ChargeableMethod | null;
  readonly status: AttemptStatus;
  /** The rail's answer to the charge was lost; status inquiries follow. */
  readonly isUnconfirmed: boolean;
  readonly railReference: string | null;
  readonly instructions: Instructions | null;
}

/** A transaction of a rail that named this payment; a second mention of it has no effect. */
export interface RailTransaction {
  readonly rail: RailName;
  readonly id: string;
  readonly state: TransactionState;
  readonly amountMinor: AmountMinor;
  readonly currency: string;
}

/** A request to the rail to close an order, until its answer is known. */
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
  /** LIVE: while this is set, the money is in merchant_pending. */
  readonly holdUntilMs: number | null;
}

export interface Refund {
  readonly id: RefundId;
  readonly origin: RefundOrigin;
  readonly status: RefundStatus;
  readonly amountMinor: AmountMinor;
  /** The amount of the request, to recognise a repeat; null: all that was left. */
  readonly requestedMinor: AmountMinor | null;
  readonly reason: string | null;
  readonly referenceId: string | null;
  readonly externalReference: string | null;
  readonly createdAtMs: number;
  /** The time at which it was given to the rail; null: it was not. */
  readonly askedAtMs: number | null;
  readonly completedAtMs: number | null;
  /** The rail has not reported a result yet, and the waiting senders were answered. */
  readonly isLeftPending: boolean;
  /**
   * The rail reported success after the refund was booked as failed; an operator has a task. Stays
   * set when an administrator has decided: the refund is then succeeded, or isFailureConfirmed.
   */
  readonly isContradicted: boolean;
  /** An administrator confirmed the failure against the rail's report. */
  readonly isFailureConfirmed: boolean;
  /** An administrator paid the customer back by hand, so the rail still holds the money. */
  readonly isPaidByHand: boolean;
}

interface PaymentFacts {
  readonly id: PaymentId;
  /** The number of events so far. */
  readonly version: number;
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly request: PaymentRequest;
  /** Of the request as it was before its erasure; null: not erased. */
  readonly fingerprint: string | null;
  readonly attempts: readonly Attempt[];
  /** The rails to try, in order, when the rail of the latest attempt refuses. */
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
  /** Since then it holds no text of a person and accepts none. */
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
  /** Set: the payment was paid, then reversed. */
  readonly capture: Capture | null;
};
export type CancelledPayment = PaymentFacts & {
  readonly status: 'cancelled';
  readonly failureCode: null;
  readonly capture: null;
};
export type PaymentState = OpenPayment | PaidPayment | FailedPayment | CancelledPayment;

/** A payment that has ended asks nothing of a rail any more. */
export const NOTHING_REQUESTED = {
  nextRails: [],
  cancelRequest: null,
  expiryRequestedAtMs: null,
  methodChange: null,
} as const;

/** Another merchant, or the other environment of the same one, does not find the payment. */
export function isOfTenant(
  state: PaymentState,
  sender: Pick<PaymentState, 'merchantId' | 'environment'>,
): boolean {
  return state.merchantId === sender.merchantId && state.environment === sender.environment;
}

/** Whether a simulated outcome took place before; a refunded payment was paid. */
export function hasReached(state: PaymentState, outcome: 'paid' | 'failed'): boolean {
  if (outcome === 'failed') return state.status === 'failed';
  return state.status === 'paid' || state.status === 'refunded';
}

export function isOpen(state: PaymentState): state is OpenPayment {
  return state.status === 'creating' || state.status === 'pending';
}

/** Whether a cancel or an expiry waits for the rail. */
export function isEndRequested(state: OpenPayment): boolean {
  return state.cancelRequest !== null || state.expiryRequestedAtMs !== null;
}

export function findLatestAttempt(state: PaymentState): Attempt | undefined {
  return state.attempts.at(-1);
}

export function findAttempt(state: PaymentState, orderId: OrderId): Attempt | undefined {
  return state.attempts.find((attempt) => attempt.orderId === orderId);
}

/** Whether a customer can still pay it at the rail. */
export function isPayable(attempt: Attempt): boolean {
  return attempt.status === 'open' || attempt.status === 'charging';
}

export interface TransactionKey {
  readonly rail: RailName;
  readonly railTransactionId: string;
}

/** Each rail numbers its transactions by itself. */
export function findTransaction(
  state: PaymentState,
  { rail, railTransactionId }: { readonly [name in keyof TransactionKey]: string },
): RailTransaction | undefined {
  return state.railTransactions.find((one) => one.id === railTransactionId && one.rail === rail);
}

export function findRefund(state: PaymentState, id: RefundId): Refund | undefined {
  return state.refunds.find((refund) => refund.id === id);
}

export function isRefundOpen(refund: Refund): boolean {
  return refund.status !== 'succeeded' && refund.status !== 'failed';
}

/** Whether the rail reports a failed refund as made, and no administrator has decided. */
export function isRefundDisputed(refund: Refund): boolean {
  return refund.status === 'failed' && refund.isContradicted && !refund.isFailureConfirmed;
}

function sumRefunds(state: PaymentState, isCounted: (refund: Refund) => boolean): AmountMinor {
  return state.refunds.reduce(
    (sum, refund) => (isCounted(refund) ? addMinor(sum, refund.amountMinor) : sum),
    ZERO_MINOR,
  );
}

export function sumRefundedMinor(state: PaymentState): AmountMinor {
  return sumRefunds(state, (refund) => refund.status === 'succeeded');
}

/** The part of `sumRefundedMinor` that the bank of the customer took back. */
export function sumChargedBackMinor(state: PaymentState): AmountMinor {
  return sumRefunds(
    state,
    ({ origin, status }) => origin === 'chargeback' && status === 'succeeded',
  );
}

/** The part of `sumRefundedMinor` that no rail paid. */
export function sumPaidByHandMinor(state: PaymentState): AmountMinor {
  return sumRefunds(state, (refund) => refund.isPaidByHand);
}

export function sumOpenRefundsMinor(state: PaymentState): AmountMinor {
  return sumRefunds(state, isRefundOpen);
}

/**
 * The most that a refund may still request: zero unless the payment is paid. A refund that the rail
 * reports as made counts, although it is booked as failed.
 */
export function computeRefundableMinor(state: PaymentState): AmountMinor {
  if (state.status !== 'paid') return ZERO_MINOR;
  const { amountMinor } = state.request;
  const used = sumRefunds(state, (one) => one.status !== 'failed' || isRefundDisputed(one));
  return used < amountMinor ? subtractMinor(amountMinor, used) : ZERO_MINOR;
}

/** Whether a disputed refund fits into what the other refunds have left of the payment. */
export function canCorrectRefund(state: PaymentState, refund: Refund): boolean {
  if (state.status !== 'paid') return false;
  const used = sumRefunds(state, (one) => one.status !== 'failed');
  return addMinor(used, refund.amountMinor) <= state.request.amountMinor;
}

/** Zero for a refund that does not exist. */
export function findRefundAmount(state: PaymentState, id: RefundId): AmountMinor {
  return findRefund(state, id)?.amountMinor ?? ZERO_MINOR;
}
