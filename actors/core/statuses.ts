// The closed sets of the domain that are stored or shown. Types, codecs and schemas follow from
// these lists.

/** creating: LIVE only, until the rail has answered; merchants see `pending`. */
export const PAYMENT_STATUSES = [
  'creating',
  'pending',
  'paid',
  'failed',
  'cancelled',
  'refunded',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** The statuses that merchants see. */
export type ShownStatus = Exclude<PaymentStatus, 'creating'>;
export const SHOWN_STATUSES: readonly ShownStatus[] = PAYMENT_STATUSES.filter(
  (status) => status !== 'creating',
);

export const FAILURE_CODES = [
  'expired',
  'declined',
  'processing_failed',
  'simulated',
  'reversed',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** charging: the rail has not answered. open: the customer can pay. */
export const ATTEMPT_STATUSES = [
  'charging',
  'open',
  'refused',
  'closed',
  'failed',
  'settled',
] as const;
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];

/** The reason why a rail is asked to close an order. */
export const CLOSE_PURPOSES = ['cancel', 'expire', 'switch', 'supersede'] as const;
export type ClosePurpose = (typeof CLOSE_PURPOSES)[number];

/** elsewhere: the transaction is booked on another payment and counts nothing here. */
export const TRANSACTION_STATES = ['captured', 'suspended', 'elsewhere', 'reversed'] as const;
export type TransactionState = (typeof TRANSACTION_STATES)[number];

/** queued: waits for another refund of the payment. asked: the rail has not answered. */
export const REFUND_STATUSES = [
  'queued',
  'asked',
  'manual_required',
  'succeeded',
  'failed',
] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/**
 * merchant: requested through this service. rail and chargeback: the rail paid the customer back without being asked by
 * us, by a refund in its dashboard or after a dispute; an approved correction recorded it.
 */
export const RECORDED_ORIGINS = ['rail', 'chargeback'] as const;
export const REFUND_ORIGINS = ['merchant', ...RECORDED_ORIGINS] as const;
export type RefundOrigin = (typeof REFUND_ORIGINS)[number];
export type RecordedOrigin = (typeof RECORDED_ORIGINS)[number];

/** chargeback: the customer's bank took the money back after a dispute. */
export const GIVEN_BACK_KINDS = ['refund', 'chargeback'] as const;
export type GivenBackKind = (typeof GIVEN_BACK_KINDS)[number];

/**
 * The report of a callback about an order or a refund. It is only a hint: the next status inquiries look for it. ended: failed,
 * expired or cancelled, or a refund that has a result. reversed: denied, perhaps after the money had arrived. given_back: the
 * rail refunded it by itself, or the customer's bank took it back.
 */
export const REPORTED_STATES = ['open', 'settled', 'ended', 'reversed', 'given_back'] as const;
export type ReportedState = (typeof REPORTED_STATES)[number];

export const PAYOUT_STATUSES = [
  'PENDING',
  'PROCESSING',
  'COMPLETED',
  'FAILED',
  'MANUAL_REQUIRED',
  'REVERSED',
] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** A rail's words that cannot follow the record of a payout. */
export const PAYOUT_CONTRADICTIONS = ['completed', 'failed', 'reversed'] as const;
export type PayoutContradiction = (typeof PAYOUT_CONTRADICTIONS)[number];

export const PAYOUT_FAILURE_CODES = [
  'account_invalid',
  'rejected_by_bank',
  'bank_unavailable',
  'processing_failed',
  'cancelled',
] as const;
export type PayoutFailureCode = (typeof PAYOUT_FAILURE_CODES)[number];
