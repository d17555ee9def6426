// The body of an answer, serialised once, here: the object that the sender asked about, as it now is.
import type { RefundId } from '../core/ids.js';
import type { PaymentCommand } from '../core/payment/commands.js';
import { type FinalOutcome, isRejection } from '../core/payment/outcome.js';
import { findRefund, type PaymentState } from '../core/payment/state.js';
import { findShownStatus, viewPayment, viewRefund, viewSandbox } from '../core/payment/view.js';
import type { Waiter } from '../core/payment/outcome.js';

/** What an answer shows: the payment, its public view, or one of its refunds. */
export type AnswerSubject = 'payment' | 'sandbox' | { refundId: RefundId };

export function findCommandSubject(command: PaymentCommand): AnswerSubject {
  if (command.type === 'simulate') return 'sandbox';
  return 'refundId' in command ? { refundId: command.refundId } : 'payment';
}

export function findWaiterSubject(waiter: Waiter): AnswerSubject {
  const [, refundId] = waiter.split(':');
  return refundId === undefined ? 'payment' : { refundId: refundId as RefundId };
}

/** JSON; of a rejection the status that stands in the way. */
export function buildAnswerBody(
  subject: AnswerSubject,
  answer: FinalOutcome,
  state: PaymentState,
  baseUrl: string,
): string {
  if (isRejection(answer)) return findShownStatus(state);
  if (subject === 'payment') return JSON.stringify(viewPayment(state, baseUrl));
  if (subject === 'sandbox') return JSON.stringify(viewSandbox(state));
  const refund = findRefund(state, subject.refundId);
  return refund === undefined ? '' : JSON.stringify(viewRefund(state, refund));
}
