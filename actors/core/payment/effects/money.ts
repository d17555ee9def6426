// What follows when money comes, goes back or is set free. Only these events and those of refunds post; a
// settlement that is booked always claims its rail transaction, so that no other payment can book it.
import { unreachable } from '#actors/core/unreachable.js';
import type { MoneyEvent } from '../events.js';
import type { PaymentState } from '../state.js';
import { answerOpenRefunds, answerWaiters, PAID } from './answers.js';
import { type Effects, NO_EFFECTS, transactionOf } from './effect.js';
import {
  postPaid,
  postRelease,
  postReversal,
  postSuspense,
  postSuspenseReversed,
} from './postings.js';
import { callClose } from './rail-calls.js';
import {
  tasksOfReversal,
  taskReversalUnapplied,
  taskSuspended,
  taskSuspenseReversed,
  taskUnapplied,
} from './tasks.js';
import { webhook } from './webhooks.js';

export function effectsOfMoney(state: PaymentState, event: MoneyEvent): Effects {
  switch (event.type) {
    case 'payment_paid':
      return {
        webhook: webhook(state, 'payment.paid'),
        postings: postPaid(state, event.settlement),
        railTransaction: transactionOf(event.settlement),
        railCalls: callClose(state, 'supersede'),
        tasks: [],
        answers: answerWaiters(state, PAID),
      };
    case 'payment_reversed':
      return {
        ...NO_EFFECTS,
        webhook: webhook(state, 'payment.failed'),
        postings: postReversal(state),
        tasks: tasksOfReversal(state),
        answers: answerOpenRefunds(state),
      };
    case 'hold_released':
      return { ...NO_EFFECTS, postings: postRelease(state) };
    case 'settlement_suspended':
      return {
        ...NO_EFFECTS,
        postings: postSuspense(state, event.settlement),
        railTransaction: transactionOf(event.settlement),
        tasks: taskSuspended(state, event),
      };
    case 'settlement_unapplied':
      return { ...NO_EFFECTS, tasks: taskUnapplied(state, event) };
    case 'suspense_reversed': {
      const postings = postSuspenseReversed(state, event);
      return { ...NO_EFFECTS, postings, tasks: taskSuspenseReversed(state, event) };
    }
    case 'reversal_unapplied':
      return { ...NO_EFFECTS, tasks: taskReversalUnapplied(state, event) };
    default:
      return unreachable(event);
  }
}
