// What follows from the events of a refund. Its money is reserved when it is asked for, and goes to the rail
// or back to the merchant when it ends; who waits for it is answered with the refund as it then is.
import { unreachable } from '#actors/core/unreachable.js';
import type { RefundEvent } from '../events.js';
import type { PaymentState } from '../state.js';
import { answerRefund } from './answers.js';
import { type Effects, NO_EFFECTS } from './effect.js';
import { postRefundFailed, postRefundRequested, postRefundSucceeded } from './postings.js';
import { callRefund } from './rail-calls.js';
import { taskOfRefund } from './tasks.js';
import { refundWebhook } from './webhooks.js';

export function effectsOfRefund(state: PaymentState, event: RefundEvent): Effects {
  const { refundId } = event;
  switch (event.type) {
    case 'refund_requested':
      return { ...NO_EFFECTS, postings: postRefundRequested(state, event) };
    case 'refund_submitted':
      return { ...NO_EFFECTS, railCalls: callRefund(state, refundId) };
    case 'refund_left_pending':
      return { ...NO_EFFECTS, answers: answerRefund(state, refundId) };
    case 'refund_made_manual': {
      const tasks = taskOfRefund(state, 'refund_manual_required', refundId);
      return { ...NO_EFFECTS, tasks, answers: answerRefund(state, refundId) };
    }
    case 'refund_succeeded': {
      const postings = postRefundSucceeded(state, event);
      const answers = answerRefund(state, refundId);
      return { ...NO_EFFECTS, webhook: refundWebhook(state, event), postings, answers };
    }
    case 'refund_failed': {
      const postings = postRefundFailed(state, event);
      return { ...NO_EFFECTS, postings, answers: answerRefund(state, refundId) };
    }
    case 'refund_contradicted':
      return { ...NO_EFFECTS, tasks: taskOfRefund(state, 'refund_contradicted', refundId) };
    default:
      return unreachable(event);
  }
}
