// Closing: a payment ends without money, by cancel, expiry or failure. TEST ends at once. At a LIVE
// rail the order must be closed first, since a customer may be paying it:
//
//   request recorded ──order closed──▶ the payment ends, or the next attempt starts (change of method)
//                    ──rail refuses──▶ the request is dropped; an expiry waits for EXPIRY_GRACE_MS
//                    ──unknown──▶ its sender gets outcome_unknown once; status inquiries follow
//
// A request that arrives before the rail has answered the charge is kept, and passed on after that
// answer.
import { unreachable } from '../unreachable.js';
import { closePayable, endCharge, planNext, startAttempt } from './attempts.js';
import type { AnswerClose, CancelPayment, FailPayment } from './commands.js';
import { isExpiryDue } from './due.js';
import type { ClosingEvents, EventOf, PaymentEvent } from './events.js';
import {
  answerWaiters,
  CANCEL_REFUSED,
  CANCELLED,
  CHANGE_REFUSED,
  CLOSE_UNKNOWN,
  FAILED,
} from './outcome.js';
import { callClose } from './rail-calls.js';
import { decideSettlement } from './settlement.js';
import {
  type Decision,
  done,
  type EventHandlers,
  mark,
  NO_EFFECTS,
  reject,
  UNCHANGED,
  WAITING,
} from './slice.js';
import {
  type Attempt,
  findAttempt,
  isEndRequested,
  isOpen,
  isOfTenant,
  isPayable,
  findLatestAttempt,
  NOTHING_REQUESTED,
  type OpenPayment,
  type PaymentState,
} from './state.js';
import { type ClosePurpose } from '../statuses.js';
import { reportUnresolvedAttempts } from './tasks.js';

export function decideCancel(state: PaymentState, command: CancelPayment, nowMs: number): Decision {
  if (!isOfTenant(state, command)) return reject('payment_not_found');
  if (state.status === 'cancelled') return UNCHANGED;
  if (!isOpen(state)) return reject('state_conflict');
  if (state.cancelRequest !== null) return WAITING;
  if (!isAtRail(state)) return done({ type: 'payment_cancelled', ...mark(state, nowMs) });
  return { events: [{ type: 'cancel_requested', ...mark(state, nowMs) }], outcome: 'waiting' };
}

/** Has no effect when it is repeated, or early because the sender's clock is ahead. */
export function decideExpiry(state: PaymentState, nowMs: number): Decision {
  if (!isOpen(state) || !isExpiryDue(state, nowMs)) return UNCHANGED;
  if (state.expiryRequestedAtMs === null && isAtRail(state)) {
    return done({ type: 'expiry_requested', ...mark(state, nowMs) });
  }
  return done(expire(state, nowMs, 0));
}

/** Whether a customer may be paying at a rail, so that the rail has to be asked. */
function isAtRail(state: OpenPayment): boolean {
  const attempt = findLatestAttempt(state);
  return state.environment === 'LIVE' && attempt !== undefined && isPayable(attempt);
}

function expire(state: OpenPayment, nowMs: number, ahead: number): PaymentEvent {
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
      return closeAttempt(state, attempt, nowMs);
    case 'refused':
      return dropRequest(state, command.purpose, nowMs);
    case 'unknown':
      return leaveUnconfirmed(state, command.purpose, nowMs);
    default:
      return unreachable(command.answer);
  }
}

/**
 * Nobody can pay this attempt any more, so the request takes effect. Without a request, a charge that was never accepted ends
 * as if it were refused: the rail did not take it, or closed it before anybody could pay.
 */
function closeAttempt(state: PaymentState, attempt: Attempt, nowMs: number): Decision {
  if (!isPayable(attempt)) return UNCHANGED;
  const { orderId, status } = attempt;
  if (status === 'charging' && isOpen(state) && !isEndRequested(state)) {
    return endCharge(state, orderId, nowMs);
  }
  const closed: PaymentEvent = { type: 'attempt_closed', ...mark(state, nowMs), orderId };
  return isOpen(state) ? done(closed, followClose(state, nowMs)) : done(closed);
}

/**
 * A cancel precedes an expiry, and both a change of method. Without a request the rail closed the
 * order by itself.
 */
function followClose(state: OpenPayment, nowMs: number): PaymentEvent {
  if (state.cancelRequest !== null) return { type: 'payment_cancelled', ...mark(state, nowMs, 1) };
  if (state.expiryRequestedAtMs !== null) return expire(state, nowMs, 1);
  if (state.methodChange === null) return { type: 'payment_cancelled', ...mark(state, nowMs, 1) };
  const { rail, method, nextRails } = state.methodChange;
  return startAttempt(state, planNext(state, { rail, method, nextRails }), nowMs, 1);
}

/** A refused expiry keeps its request: a settlement ends the payment, or EXPIRY_GRACE_MS does. */
function dropRequest(state: PaymentState, purpose: ClosePurpose, nowMs: number): Decision {
  if (purpose === 'cancel' && state.cancelRequest !== null) {
    return done({ type: 'cancel_refused', ...mark(state, nowMs) });
  }
  if (purpose === 'switch' && state.methodChange !== null) {
    return done({ type: 'method_change_refused', ...mark(state, nowMs) });
  }
  return UNCHANGED;
}

/**
 * The request stays pending until a status inquiry brings the result; its sender is answered once.
 */
function leaveUnconfirmed(state: PaymentState, purpose: ClosePurpose, nowMs: number): Decision {
  if (purpose === 'cancel' && state.cancelRequest?.isUnconfirmed === false) {
    return done({ type: 'close_unconfirmed', ...mark(state, nowMs), purpose });
  }
  if (purpose === 'switch' && state.methodChange?.isUnconfirmed === false) {
    return done({ type: 'close_unconfirmed', ...mark(state, nowMs), purpose });
  }
  return UNCHANGED;
}

/**
 * A rail reports that an attempt failed. While the rail is asked to close that attempt, the report
 * means "closed": the callback of a cancelled order may arrive before the answer to the cancel.
 */
export function decideFailure(state: PaymentState, command: FailPayment, nowMs: number): Decision {
  const attempt = findAttempt(state, command.orderId);
  if (attempt === undefined || !isPayable(attempt) || !isOpen(state)) return UNCHANGED;
  const isCloseRequested = isEndRequested(state) || state.methodChange !== null;
  if (isCloseRequested && attempt.status === 'open') return closeAttempt(state, attempt, nowMs);
  const { failureCode, orderId } = command;
  return done({ type: 'payment_failed', ...mark(state, nowMs), failureCode, orderId });
}

/** The status does not change with a request; it follows the rail's answer. */
export const closingHandlers: EventHandlers<ClosingEvents> = {
  cancel_requested: {
    evolve: (state, { version, atMs }) => {
      const cancelRequest = { requestedAtMs: atMs, isUnconfirmed: false };
      return { ...state, version, cancelRequest };
    },
    effects: (state) => ({ ...NO_EFFECTS, railCalls: callClose(state, 'cancel') }),
  },
  cancel_refused: {
    evolve: (state, { version }) => ({ ...state, version, cancelRequest: null }),
    effects: (state) => ({ ...NO_EFFECTS, answers: answerWaiters(state, CANCEL_REFUSED) }),
  },
  expiry_requested: {
    evolve: (state, { version, atMs }) => ({ ...state, version, expiryRequestedAtMs: atMs }),
    effects: (state) => ({ ...NO_EFFECTS, railCalls: callClose(state, 'expire') }),
  },
  method_change_requested: {
    evolve: (state, { version, atMs, method, rail, nextRails }) => {
      const request = { requestedAtMs: atMs, isUnconfirmed: false };
      return { ...state, version, methodChange: { ...request, method, rail, nextRails } };
    },
    effects: (state) => ({ ...NO_EFFECTS, railCalls: callClose(state, 'switch') }),
  },
  method_change_refused: {
    evolve: (state, { version }) => ({ ...state, version, methodChange: null }),
    effects: (state) => ({ ...NO_EFFECTS, answers: answerWaiters(state, CHANGE_REFUSED) }),
  },
  close_unconfirmed: {
    evolve: markUnconfirmed,
    effects: (state, { purpose }) => ({
      ...NO_EFFECTS,
      answers: answerWaiters(state, CLOSE_UNKNOWN[purpose]),
    }),
  },
  payment_failed: {
    evolve: (state, event) => ({
      ...state,
      ...NOTHING_REQUESTED,
      version: event.version,
      status: 'failed',
      failureCode: event.failureCode,
      capture: null,
      attempts: closePayable(state).map((attempt) =>
        attempt.orderId === event.orderId ? { ...attempt, status: 'failed' } : attempt,
      ),
      failedAtMs: event.atMs,
    }),
    effects: (state) => {
      const answers = answerWaiters(state, FAILED);
      return { ...NO_EFFECTS, tasks: reportUnresolvedAttempts(state), answers };
    },
  },
  payment_cancelled: {
    evolve: (state, { version, atMs }) => ({
      ...state,
      ...NOTHING_REQUESTED,
      version,
      status: 'cancelled',
      failureCode: null,
      capture: null,
      attempts: closePayable(state),
      cancelledAtMs: atMs,
    }),
    effects: (state) => ({ ...NO_EFFECTS, answers: answerWaiters(state, CANCELLED) }),
  },
};

function markUnconfirmed(state: PaymentState, event: EventOf<'close_unconfirmed'>): PaymentState {
  const { version, purpose } = event;
  const { cancelRequest, methodChange } = state;
  return purpose === 'cancel'
    ? {
        ...state,
        version,
        cancelRequest: cancelRequest && { ...cancelRequest, isUnconfirmed: true },
      }
    : { ...state, version, methodChange: methodChange && { ...methodChange, isUnconfirmed: true } };
}
