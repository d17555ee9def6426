// How events answer the senders who wait. Only LIVE payments let anybody wait.
import type { RefundId } from '#actors/core/ids.js';
import type { FinalOutcome } from '../outcome.js';
import { isRefundOpen, type PaymentState } from '../state.js';
import { refundWaiter, type Waiter, type WaiterAnswer } from '../waiters.js';

export type Answers = readonly WaiterAnswer[];

/** One 201: those who repeated the create get the same payment as a replay. */
const CREATED: WaiterAnswer = { waiter: 'create', first: 'created', others: 'replayed' };
const CANCEL_OVERTAKEN = answer('cancel', 'state_conflict');
const CANCEL_UNKNOWN = answer('cancel', 'outcome_unknown');
const CHOICE_OVERTAKEN = answer('choose_method', 'state_conflict');
const CHOICE_UNKNOWN = answer('choose_method', 'outcome_unknown');

export const ACCEPTED: Answers = [CREATED, answer('choose_method', 'done')];
export const CHARGE_UNKNOWN: Answers = [
  answer('create', 'outcome_unknown'),
  CANCEL_UNKNOWN,
  CHOICE_UNKNOWN,
];
export const CHOICE_FAILED: Answers = [answer('choose_method', 'payment_processing_failed')];
export const PAID: Answers = [CREATED, CANCEL_OVERTAKEN, CHOICE_OVERTAKEN];
export const FAILED: Answers = [
  answer('create', 'payment_processing_failed'),
  CANCEL_OVERTAKEN,
  CHOICE_OVERTAKEN,
];
export const CANCELLED: Answers = [CREATED, answer('cancel', 'done'), CHOICE_OVERTAKEN];
export const CANCEL_REFUSED: Answers = [CANCEL_OVERTAKEN];
export const CHANGE_REFUSED: Answers = [CHOICE_OVERTAKEN];
export const CLOSE_UNKNOWN = { cancel: [CANCEL_UNKNOWN], switch: [CHOICE_UNKNOWN] } as const;

const NONE: Answers = [];

function answer(waiter: Waiter, outcome: FinalOutcome): WaiterAnswer {
  return { waiter, first: outcome, others: outcome };
}

export function answerWaiters(state: PaymentState, answers: Answers): Answers {
  return state.environment === 'TEST' ? NONE : answers;
}

/** A refund is answered with itself, however it stands. */
export function answerRefund(state: PaymentState, refundId: RefundId): Answers {
  const waiter = refundWaiter(refundId);
  return answerWaiters(state, [{ waiter, first: 'created', others: 'replayed' }]);
}

export function answerOpenRefunds(state: PaymentState): Answers {
  return state.refunds.filter(isRefundOpen).flatMap((refund) => answerRefund(state, refund.id));
}
