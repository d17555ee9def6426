// Approvals: a change of money that one administrator proposes and another one approves.
//
//   proposed ──approve──▶ approved ──▶ applied     the change was made
//      │                     └───────▶ refused     the state of its subject does not allow the change
//      └──reject───▶ rejected                      also by the proposer, who withdraws it
//
// Proposed and rejected, nothing was done. Approved, the change may have been made: applying it is
// idempotent and goes on until it is applied or refused. The last three states are final.

export const APPROVAL_STATUSES = [
  'proposed',
  'approved',
  'applied',
  'refused',
  'rejected',
] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** Movements at a rail that the payment does not know of. The payment's actor books them. */
export const PAYMENT_CORRECTIONS = ['settlement', 'reversal', 'refund', 'chargeback'] as const;
export type PaymentCorrection = (typeof PAYMENT_CORRECTIONS)[number];

/** Postings to a merchant's balance. */
export const BALANCE_CORRECTIONS = [
  'adjustment_credit',
  'adjustment_debit',
  'reserve_hold',
  'reserve_release',
] as const;
export type BalanceCorrection = (typeof BALANCE_CORRECTIONS)[number];

/** Corrections always need two persons. */
export const CORRECTION_KINDS = [...PAYMENT_CORRECTIONS, ...BALANCE_CORRECTIONS] as const;
export type CorrectionKind = (typeof CORRECTION_KINDS)[number];

/** Actions that need two persons above a limit. */
export const LIMITED_ACTIONS = [
  'refund_completion',
  'refund_failure',
  'payout_completion',
  'payout_failure',
  'payout_reversal',
  'task_resolution',
] as const;
export type LimitedAction = (typeof LIMITED_ACTIONS)[number];

export const APPROVAL_KINDS = [...CORRECTION_KINDS, ...LIMITED_ACTIONS] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

export function isBalanceCorrection(kind: ApprovalKind): kind is BalanceCorrection {
  return (BALANCE_CORRECTIONS as readonly string[]).includes(kind);
}

export function isPaymentCorrection(kind: ApprovalKind): kind is PaymentCorrection {
  return (PAYMENT_CORRECTIONS as readonly string[]).includes(kind);
}
