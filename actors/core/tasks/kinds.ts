// Operator tasks: their kinds, their ids and the actions of each kind. allowed-actions.ts tells
// which of the actions are allowed at the moment.
import { deriveIdBody } from '../ids.js';
import { PAYMENT_TASK_KINDS } from '../payment/tasks.js';
import { PAYOUT_TASK_KINDS } from '../payout/effects.js';

/**
 * unknown_order          a rail has money for an order that does not exist; the task names no payment
 * unknown_order_unresolved  its rail gave no answer for five days; the task names no payment
 * rail_difference        found by reconciliation, or by the inquiry of an order whose rail gave money back by itself
 * refund_unresolved      the rail has reported no result for hours
 * callback_contradicted  a status inquiry found another amount than a callback named; the inquiry counts
 * callback_unconfirmed   a callback reported money, or its loss, and two hours of inquiries did not find it
 * instructions_unusable  a rail opened an order with payment instructions that must not be shown; it is closed there
 * invoice_paid_…         a payment for an invoice that is already paid, or void; the merchant keeps the money until it
 *                        is refunded
 * balance_negative       refunds and reversals took more than the merchant had; payouts are blocked. It ends by itself
 *                        when the balance is back at zero
 * payout_…               the end of the payout closes those that wait for it; payout_not_sent also its sending
 */
export const TASK_KINDS = [
  ...PAYMENT_TASK_KINDS,
  'unknown_order',
  'unknown_order_unresolved',
  'rail_difference',
  'refund_unresolved',
  'callback_contradicted',
  'callback_unconfirmed',
  'instructions_unusable',
  'invoice_paid_twice',
  'invoice_paid_void',
  'balance_negative',
  ...PAYOUT_TASK_KINDS,
] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/**
 * acknowledge  no money moves
 * credit       suspended money is the merchant's
 * return       suspended money went back to its payer
 * assign       suspended money is another merchant's
 * debit        the merchant that had the money pays what the rail took
 * write_off    the platform pays it
 * match        the rail took back what the platform had returned
 * book         the payment books what the rail has, by an approval of two administrators
 */
export const TASK_ACTIONS = [
  'acknowledge',
  'credit',
  'return',
  'assign',
  'debit',
  'write_off',
  'match',
  'book',
] as const;
export type TaskAction = (typeof TASK_ACTIONS)[number];

export const ACTIONS_OF_KIND: Readonly<Record<TaskKind, readonly TaskAction[]>> = {
  settlement_suspended: ['credit', 'return', 'assign', 'acknowledge'],
  settlement_unapplied: ['acknowledge'],
  suspense_reversed: ['acknowledge', 'debit', 'write_off', 'match'],
  reversal_unapplied: ['acknowledge'],
  refund_manual_required: ['acknowledge'],
  refund_on_reversed_payment: ['acknowledge', 'debit', 'write_off'],
  refund_contradicted: ['acknowledge', 'debit', 'write_off'],
  attempt_unresolved: ['acknowledge'],
  unknown_order: ['return', 'assign'],
  unknown_order_unresolved: ['acknowledge'],
  rail_difference: ['book', 'acknowledge'],
  refund_unresolved: ['acknowledge'],
  callback_contradicted: ['acknowledge'],
  callback_unconfirmed: ['acknowledge'],
  instructions_unusable: ['acknowledge'],
  invoice_paid_twice: ['acknowledge'],
  invoice_paid_void: ['acknowledge'],
  balance_negative: ['acknowledge'],
  payout_manual_required: [],
  payout_unresolved: [],
  payout_contradicted: ['acknowledge', 'write_off'],
  payout_not_sent: [],
};

/** A newer version may have stored kinds that this one does not know. */
export function isTaskKind(text: string): text is TaskKind {
  return Object.hasOwn(ACTIONS_OF_KIND, text);
}

/**
 * The id of a task that follows from its matter, so that a repeated finding opens no second task.
 * `matter` begins with its kind.
 */
export const deriveTaskId = (matter: string): string => `task_${deriveIdBody(matter)}`;
