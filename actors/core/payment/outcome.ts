// The answer to a command: at once, by its outcome, or by a later event of the payment. A command whose outcome is
// `waiting` waits under findWaiter(command); the effects of that event name the waiters that they answer.
import type { RefundId } from '../ids.js';
import type { PaymentCommand } from './commands.js';
import { isRefundOpen, type PaymentState } from './state.js';

/** Rejections are values; the gateway's error table maps each to its HTTP answer. */
export const REJECTIONS = [
  'payment_not_found',
  'refund_not_found',
  'idempotency_conflict',
  'state_conflict',
  'refund_exceeds_payment',
  'payment_method_unavailable',
  'attempt_limit_reached',
  'refund_limit_reached',
  'payment_processing_failed',
  'outcome_unknown',
] as const;
export type Rejection = (typeof REJECTIONS)[number];

/**
 * created: the object is new (201). replayed: the same create was accepted before (200). done: a transition took
 * place. unchanged: it took place before, or the command has no effect here.
 */
export type FinalOutcome = 'created' | 'replayed' | 'done' | 'unchanged' | Rejection;

/** waiting: a later event answers all who wait on the same key. */
export type Outcome = FinalOutcome | 'waiting';

export function isRejection(outcome: string): outcome is Rejection {
  return (REJECTIONS as readonly string[]).includes(outcome);
}

export type Waiter = 'create' | 'cancel' | 'choose_method' | `refund:${RefundId}`;

export interface WaiterAnswer {
  readonly waiter: Waiter;
  /** For the first sender. */
  readonly first: FinalOutcome;
  /** For the senders of repeats. */
  readonly others: FinalOutcome;
}

/** null: the command is always answered at once. */
export function findWaiter(command: PaymentCommand): Waiter | null {
  switch (command.type) {
    case 'create':
    case 'cancel':
    case 'choose_method':
      return command.type;
    case 'refund':
      return refundWaiter(command.refundId);
    default:
      return null;
  }
}

function refundWaiter(refundId: RefundId): Waiter {
  return `refund:${refundId}`;
}

type Answers = readonly WaiterAnswer[];

/** One 201: repeats of the create get the same payment as a replay. */
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

function answer(waiter: Waiter, outcome: FinalOutcome): WaiterAnswer {
  return { waiter, first: outcome, others: outcome };
}

/** TEST payments are answered at once, so nobody waits for them. */
export function answerWaiters(state: PaymentState, answers: Answers): Answers {
  return state.environment === 'TEST' ? [] : answers;
}

/** The answer is the refund itself, in any status. */
export function answerRefund(state: PaymentState, refundId: RefundId): Answers {
  const waiter = refundWaiter(refundId);
  return answerWaiters(state, [{ waiter, first: 'created', others: 'replayed' }]);
}

export function answerOpenRefunds(state: PaymentState): Answers {
  return state.refunds.filter(isRefundOpen).flatMap((refund) => answerRefund(state, refund.id));
}
