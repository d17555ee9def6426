// What follows from questions to rails and their answers: the next call, and an answer to who waits. A call
// stands in the same commit as the event that asks for it, and is made after that commit.
import { unreachable } from '#actors/core/unreachable.js';
import type { AttemptEvent, CloseEvent } from '../events.js';
import type { PaymentState } from '../state.js';
import {
  ACCEPTED,
  answerWaiters,
  CANCEL_REFUSED,
  CHANGE_REFUSED,
  CHARGE_UNKNOWN,
  CHOICE_FAILED,
  CLOSE_UNKNOWN,
} from './answers.js';
import { type Effects, NO_EFFECTS } from './effect.js';
import { callCharge, callClose, callCloseAccepted } from './rail-calls.js';

export function effectsOfAttempt(state: PaymentState, event: AttemptEvent): Effects {
  switch (event.type) {
    case 'attempt_started':
      return { ...NO_EFFECTS, railCalls: callCharge(state, event.attempt) };
    case 'attempt_accepted': {
      const answers = answerWaiters(state, ACCEPTED);
      return { ...NO_EFFECTS, railCalls: callCloseAccepted(state), answers };
    }
    case 'attempt_refused':
      if (!event.isLast) return NO_EFFECTS;
      return { ...NO_EFFECTS, answers: answerWaiters(state, CHOICE_FAILED) };
    case 'attempt_unconfirmed':
      return { ...NO_EFFECTS, answers: answerWaiters(state, CHARGE_UNKNOWN) };
    case 'attempt_closed':
      return NO_EFFECTS;
    default:
      return unreachable(event);
  }
}

export function effectsOfClosing(state: PaymentState, event: CloseEvent): Effects {
  switch (event.type) {
    case 'cancel_requested':
      return { ...NO_EFFECTS, railCalls: callClose(state, 'cancel') };
    case 'expiry_requested':
      return { ...NO_EFFECTS, railCalls: callClose(state, 'expire') };
    case 'method_change_requested':
      return { ...NO_EFFECTS, railCalls: callClose(state, 'switch') };
    case 'cancel_refused':
      return { ...NO_EFFECTS, answers: answerWaiters(state, CANCEL_REFUSED) };
    case 'method_change_refused':
      return { ...NO_EFFECTS, answers: answerWaiters(state, CHANGE_REFUSED) };
    case 'close_unconfirmed':
      return { ...NO_EFFECTS, answers: answerWaiters(state, CLOSE_UNKNOWN[event.purpose]) };
    default:
      return unreachable(event);
  }
}
