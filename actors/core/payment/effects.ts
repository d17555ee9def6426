// What follows from an event: to be done in the commit that stores it (postings, calls, tasks, webhook), or
// after that commit (answers). A value; nothing is done here.
import { unreachable } from '../unreachable.js';
import { answerWaiters, CANCELLED, FAILED } from './effects/answers.js';
import { effectsOfAttempt, effectsOfClosing } from './effects/attempts.js';
import { type Effects, NO_EFFECTS } from './effects/effect.js';
import { effectsOfMoney } from './effects/money.js';
import { callCharge } from './effects/rail-calls.js';
import { effectsOfRefund } from './effects/refunds.js';
import { tasksOfFailure } from './effects/tasks.js';
import { webhook } from './effects/webhooks.js';
import type { PaymentEvent } from './events.js';
import type { PaymentState } from './state.js';

/** `state` is the payment with the event applied, not with later events of the same decision. */
export function effects(state: PaymentState, event: PaymentEvent): Effects {
  switch (event.type) {
    case 'payment_created':
      if (state.status === 'pending') return NO_EFFECTS;
      return { ...NO_EFFECTS, railCalls: callCharge(state, event.attempt) };
    case 'payment_failed':
      return {
        ...NO_EFFECTS,
        webhook: webhook(state, 'payment.failed'),
        tasks: tasksOfFailure(state),
        answers: answerWaiters(state, FAILED),
      };
    case 'payment_cancelled': {
      const answers = answerWaiters(state, CANCELLED);
      return { ...NO_EFFECTS, webhook: webhook(state, 'payment.cancelled'), answers };
    }
    case 'payment_erased':
      return NO_EFFECTS;
    case 'attempt_started':
    case 'attempt_accepted':
    case 'attempt_refused':
    case 'attempt_unconfirmed':
    case 'attempt_closed':
      return effectsOfAttempt(state, event);
    case 'cancel_requested':
    case 'cancel_refused':
    case 'expiry_requested':
    case 'method_change_requested':
    case 'method_change_refused':
    case 'close_unconfirmed':
      return effectsOfClosing(state, event);
    case 'payment_paid':
    case 'payment_reversed':
    case 'hold_released':
    case 'settlement_suspended':
    case 'settlement_unapplied':
    case 'suspense_reversed':
    case 'reversal_unapplied':
      return effectsOfMoney(state, event);
    case 'refund_requested':
    case 'refund_submitted':
    case 'refund_left_pending':
    case 'refund_made_manual':
    case 'refund_succeeded':
    case 'refund_failed':
    case 'refund_contradicted':
      return effectsOfRefund(state, event);
    default:
      return unreachable(event);
  }
}
