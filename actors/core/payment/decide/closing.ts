// The ways a payment ends without money: cancel and expiry. TEST ends at once. At a LIVE rail the order must
// be closed first: the wish is recorded, the rail is asked, and the status follows its answer. A wish that
// comes while the rail has not answered the charge yet is remembered, and asked when it has.
import { unreachable } from '#actors/core/unreachable.js';
import type { AnswerClose, CancelPayment, FailPayment } from '../commands.js';
import { isExpiryDue } from '../due.js';
import type { PaymentEvent } from '../events.js';
import {
  type Attempt,
  type ClosePurpose,
  findAttempt,
  isOpen,
  isPayable,
  latestAttempt,
} from '../state.js';
import type { OpenPayment, PaymentState } from '../state.js';
import { planNext, startAttempt } from './attempts.js';
import { type Decision, done, mark, reject, UNCHANGED, WAITING } from './decision.js';
import { decideSettlement } from './settlement.js';

export function decideCancel(state: PaymentState, command: CancelPayment, nowMs: number): Decision {
  const isOwner =
    state.merchantId === command.merchantId && state.environment === command.environment;
  if (!isOwner) return reject('payment_not_found');
  if (state.status === 'cancelled') return UNCHANGED;
  if (!isOpen(state)) return reject('state_conflict');
  if (state.cancelRequest !== null) return WAITING;
  if (!isAtRail(state)) return done({ type: 'payment_cancelled', ...mark(state, nowMs) });
  return { events: [{ type: 'cancel_requested', ...mark(state, nowMs) }], outcome: 'waiting' };
}

/** Too early (another clock ran ahead) or asked for again, it has no effect. */
export function decideExpiry(state: PaymentState, nowMs: number): Decision {
  if (!isOpen(state) || !isExpiryDue(state, nowMs)) return UNCHANGED;
  if (state.expiryRequestedAtMs === null && isAtRail(state)) {
    return done({ type: 'expiry_requested', ...mark(state, nowMs) });
  }
  return done(expired(state, nowMs, 0));
}

/** Whether somebody may be paying at a rail, so that the rail has to be asked. */
function isAtRail(state: OpenPayment): boolean {
  const attempt = latestAttempt(state);
  return state.environment === 'LIVE' && attempt !== undefined && isPayable(attempt);
}

function expired(state: OpenPayment, nowMs: number, ahead: number): PaymentEvent {
  const at = mark(state, nowMs, ahead);
  return { type: 'payment_failed', ...at, failureCode: 'expired', orderId: null };
}

export function decideCloseAnswer(
  state: PaymentState,
  command: AnswerClose,
  nowMs: number,
): Decision {
  const attempt = findAttempt(state, command.orderId);
  if (attempt === undefined) return UNCHANGED;
  switch (command.answer.result) {
    case 'settled':
      return decideSettlement(state, command.answer.settlement, nowMs);
    case 'closed':
      return attemptClosed(state, attempt, nowMs);
    case 'refused':
      return closeRefused(state, command.purpose, nowMs);
    case 'unknown':
      return closeUnknown(state, command.purpose, nowMs);
    default:
      return unreachable(command.answer);
  }
}

/** Nobody can pay this attempt any more: what was asked for takes place. */
export function attemptClosed(state: PaymentState, attempt: Attempt, nowMs: number): Decision {
  if (!isPayable(attempt)) return UNCHANGED;
  const closed: PaymentEvent = {
    type: 'attempt_closed',
    ...mark(state, nowMs),
    orderId: attempt.orderId,
  };
  return isOpen(state) ? done(closed, afterClose(state, nowMs)) : done(closed);
}

/** The first wish counts. Without any, the rail has cancelled the order by itself. */
function afterClose(state: OpenPayment, nowMs: number): PaymentEvent {
  if (state.cancelRequest !== null) return { type: 'payment_cancelled', ...mark(state, nowMs, 1) };
  if (state.expiryRequestedAtMs !== null) return expired(state, nowMs, 1);
  if (state.methodChange === null) return { type: 'payment_cancelled', ...mark(state, nowMs, 1) };
  const { rail, method, nextRails } = state.methodChange;
  return startAttempt(state, planNext(state, { rail, method, nextRails }), nowMs, 1);
}

/** An expiry that the rail refuses waits on: a settlement comes, or EXPIRY_GRACE_MS ends it. */
function closeRefused(state: PaymentState, purpose: ClosePurpose, nowMs: number): Decision {
  if (purpose === 'cancel' && state.cancelRequest !== null) {
    return done({ type: 'cancel_refused', ...mark(state, nowMs) });
  }
  if (purpose === 'switch' && state.methodChange !== null) {
    return done({ type: 'method_change_refused', ...mark(state, nowMs) });
  }
  return UNCHANGED;
}

/** Still pending; a look-up at the rail brings the answer. Who waits is told once. */
function closeUnknown(state: PaymentState, purpose: ClosePurpose, nowMs: number): Decision {
  if (purpose === 'cancel' && state.cancelRequest?.isUnconfirmed === false) {
    return done({ type: 'close_unconfirmed', ...mark(state, nowMs), purpose });
  }
  if (purpose === 'switch' && state.methodChange?.isUnconfirmed === false) {
    return done({ type: 'close_unconfirmed', ...mark(state, nowMs), purpose });
  }
  return UNCHANGED;
}

/**
 * A rail says that an attempt failed. While it is asked to close that very attempt, this is its way to say
 * "closed" (the callback of an order that we cancelled may come before the answer to the cancel).
 */
export function decideFailure(state: PaymentState, command: FailPayment, nowMs: number): Decision {
  const attempt = findAttempt(state, command.orderId);
  if (attempt === undefined || !isPayable(attempt) || !isOpen(state)) return UNCHANGED;
  const isCloseAsked =
    state.cancelRequest !== null ||
    state.expiryRequestedAtMs !== null ||
    state.methodChange !== null;
  if (isCloseAsked && attempt.status === 'open') return attemptClosed(state, attempt, nowMs);
  const { failureCode, orderId } = command;
  return done({ type: 'payment_failed', ...mark(state, nowMs), failureCode, orderId });
}
