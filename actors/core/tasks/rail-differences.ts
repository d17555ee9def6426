// A difference between our record and a rail's, and its operator task. The task names the posting that
// an approved correction books, if one can settle the difference.
import type { PaymentCorrection } from '../approvals/kinds.js';
import { formatAmount, type AmountMinor } from '../money.js';
import type { RailName } from '../rails/rail-names.js';
import { deriveTaskId } from './kinds.js';

/** missing: only we have it. orphan: only the rail has it. */
export const DIFFERENCE_KINDS = ['missing', 'orphan', 'differing'] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** status, amount, currency: of the order. refund: also a chargeback. */
export const DIFFERENCE_FIELDS = ['status', 'amount', 'currency', 'refund', 'payout'] as const;
export type DifferenceField = (typeof DIFFERENCE_FIELDS)[number];

export interface Booking {
  /** refund, chargeback: the rail paid the customer back without being asked by us. */
  readonly kind: PaymentCorrection;
  /** The rail's id of the settlement, of the reversed transaction, or of the refund. */
  readonly railTransactionId: string;
  readonly amountMinor: AmountMinor;
  readonly currency: string;
}

export interface Difference {
  readonly kind: DifferenceKind;
  readonly field: DifferenceField;
  readonly ours: string;
  readonly theirs: string;
  /** The transaction or refund of the order that differs; empty: the order, or the payout, itself. */
  readonly subject: string;
  /** null: no correction settles it. */
  readonly booking: Booking | null;
}

/** The matter of a difference: an order or a payout at a rail, and the day on which it was found. */
export interface DifferenceMatter {
  readonly rail: RailName;
  /** `2026-08-02` */
  readonly day: string;
  /** Ours, or the rail's text. */
  readonly orderId: string;
}

export interface DifferenceTask {
  readonly id: string;
  /** JSON of texts. */
  readonly details: string;
}

/** The same difference is the same task on every day, whatever found it. */
export function describeDifference(
  { rail, day, orderId }: DifferenceMatter,
  difference: Difference,
  names: Readonly<Record<string, string>> = {},
): DifferenceTask {
  const { kind, field, ours, theirs, subject, booking } = difference;
  const cause = JSON.stringify([rail, orderId, kind, field, subject, ours, theirs]);
  const details = { rail, day, orderId, difference: kind, field, ours, theirs, ...names };
  return {
    id: deriveTaskId(`rail difference:${cause}`),
    details: JSON.stringify({ ...details, ...(booking === null ? {} : describeBooking(booking)) }),
  };
}

function describeBooking({ kind, railTransactionId, amountMinor, currency }: Booking) {
  return { booking: kind, railTransactionId, amount: formatAmount(amountMinor), currency };
}
