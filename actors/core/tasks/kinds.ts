// Operator tasks: their kinds, and what may be done with each. Which of it may be done now, ways.ts says.
import type { TaskKind } from '../payment/effects/tasks.js';

/**
 * unknown_order: a rail has money for an order that nobody knows; its task names no payment. rail_difference: found by
 * reconciliation. callback_contradicted: the look-up found another sum than a callback named, and counts. refund_unresolved: its rail has not said
 * for 30 days what became of it. invoice_paid_…: a payment
 * for an invoice that is paid already, or void; its money is the merchant's, until it is refunded. payout_…: those
 * that wait for the end of their payout are closed by it.
 */
export type AnyTaskKind =
  | TaskKind
  | 'unknown_order'
  | 'rail_difference'
  | 'refund_unresolved'
  | 'callback_contradicted'
  | 'invoice_paid_twice'
  | 'invoice_paid_void'
  | 'payout_manual_required'
  | 'payout_unresolved'
  | 'payout_contradicted';

/**
 * acknowledge  no money moves
 * credit       suspended money is the merchant's
 * return       suspended money went back to its payer
 * assign       suspended money is another merchant's
 * debit        the merchant who had the money bears what the rail took
 * write_off    we bear it
 * match        what the rail took back is what we had returned
 */
export const TASK_ACTIONS = [
  'acknowledge',
  'credit',
  'return',
  'assign',
  'debit',
  'write_off',
  'match',
] as const;
export type TaskAction = (typeof TASK_ACTIONS)[number];

export const ACTIONS_OF_KIND: Readonly<Record<AnyTaskKind, readonly TaskAction[]>> = {
  settlement_suspended: ['credit', 'return', 'assign', 'acknowledge'],
  settlement_unapplied: ['acknowledge'],
  suspense_reversed: ['acknowledge', 'debit', 'write_off', 'match'],
  reversal_unapplied: ['acknowledge'],
  refund_manual_required: ['acknowledge'],
  refund_on_reversed_payment: ['acknowledge', 'debit', 'write_off'],
  refund_contradicted: ['acknowledge', 'debit', 'write_off'],
  attempt_unresolved: ['acknowledge'],
  unknown_order: ['return', 'assign'],
  rail_difference: ['acknowledge'],
  refund_unresolved: ['acknowledge'],
  callback_contradicted: ['acknowledge'],
  invoice_paid_twice: ['acknowledge'],
  invoice_paid_void: ['acknowledge'],
  payout_manual_required: [],
  payout_unresolved: [],
  payout_contradicted: ['acknowledge', 'write_off'],
};

/** A newer version may have written kinds that this one does not know. */
export function isTaskKind(text: string): text is AnyTaskKind {
  return Object.hasOwn(ACTIONS_OF_KIND, text);
}
