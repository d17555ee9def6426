// Attempts at rails. A customer's choice of a method, or a rail's refusal, starts another attempt,
// but only after the rail has refused the former order or has confirmed that nobody can pay it any
// more.
//
//   LIVE   charging ──the rail's answer──▶ open ──▶ settled, failed or closed
//                                     └──▶ refused
//   TEST   open at once; closed as soon as the payment no longer needs it
import { type OrderId, deriveOrderId } from '../ids.js';
import { isAmountWithinRange, isChoiceOpen } from '../payment-methods.js';
import { unreachable } from '../unreachable.js';
import type { AnswerCharge, ChooseMethod } from './commands.js';
import { createAttempt, findFirstLiveRail } from './create.js';
import type { AttemptEvents, AttemptPlan, EventOf, PaymentEvent } from './events.js';
import { ACCEPTED, answerWaiters, CHARGE_UNKNOWN, CHOICE_FAILED } from './outcome.js';
import { callCharge, callCloseAccepted } from './rail-calls.js';
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
  isPayable,
  findLatestAttempt,
  type OpenPayment,
  type PaymentState,
} from './state.js';

/** Each choice is an order at a rail, so customers can change their mind only so often. */
export const MAX_ATTEMPTS = 20;

export function decideChoice(state: PaymentState, command: ChooseMethod, nowMs: number): Decision {
  if (state.status !== 'pending' || nowMs >= state.expiresAtMs) return reject('state_conflict');
  const { amountMinor, paymentMethod } = state.request;
  const isAvailable =
    isChoiceOpen(paymentMethod, command.method) && isAmountWithinRange(amountMinor, command.method);
  if (!isAvailable) return reject('payment_method_unavailable');
  return state.environment === 'TEST'
    ? chooseInSandbox(state, command, nowMs)
    : chooseAtRail(state, command, nowMs);
}

function chooseInSandbox(state: OpenPayment, command: ChooseMethod, nowMs: number): Decision {
  if (findLatestAttempt(state)?.method === command.method) return UNCHANGED;
  if (state.attempts.length >= MAX_ATTEMPTS) return reject('attempt_limit_reached');
  const plan = planNext(state, { rail: 'sandbox', method: command.method, nextRails: [] });
  return done(startAttempt(state, plan, nowMs));
}

/** The former order is closed first, because two payable orders could be paid twice. */
function chooseAtRail(state: OpenPayment, command: ChooseMethod, nowMs: number): Decision {
  const { method, rails } = command;
  if (isEndRequested(state)) return reject('state_conflict');
  if (state.methodChange !== null) {
    return state.methodChange.method === method ? WAITING : reject('state_conflict');
  }
  const current = findLatestAttempt(state);
  if (current !== undefined && isPayable(current)) {
    if (current.method === method) return current.status === 'open' ? UNCHANGED : WAITING;
    if (current.status === 'charging') return reject('state_conflict');
  }
  const rail = findFirstLiveRail(rails);
  if (rail === undefined) return reject('payment_method_unavailable');
  if (state.attempts.length >= MAX_ATTEMPTS) return reject('attempt_limit_reached');
  const choice = { rail, method, nextRails: rails.slice(1) };
  const event: PaymentEvent =
    current?.status === 'open'
      ? { type: 'method_change_requested', ...mark(state, nowMs), ...choice }
      : startAttempt(state, planNext(state, choice), nowMs);
  return { events: [event], outcome: 'waiting' };
}

export function planNext(state: PaymentState, plan: Omit<AttemptPlan, 'orderId'>): AttemptPlan {
  return { orderId: deriveOrderId(state.id, state.attempts.length + 1), ...plan };
}

export function startAttempt(
  state: PaymentState,
  attempt: AttemptPlan,
  nowMs: number,
  ahead = 0,
): EventOf<'attempt_started'> {
  return { type: 'attempt_started', ...mark(state, nowMs, ahead), attempt };
}

/** A late or repeated answer finds the attempt answered and changes nothing. */
export function decideChargeAnswer(
  state: PaymentState,
  command: AnswerCharge,
  nowMs: number,
): Decision {
  const { orderId, answer } = command;
  const attempt = findAttempt(state, orderId);
  if (attempt?.status !== 'charging') return UNCHANGED;
  switch (answer.result) {
    case 'accepted': {
      const { railReference, instructions } = answer;
      const accepted = { ...mark(state, nowMs), orderId, railReference, instructions };
      return done({ type: 'attempt_accepted', ...accepted });
    }
    case 'refused':
      return refuseCharge(state, attempt, nowMs);
    case 'unknown':
      if (attempt.isUnconfirmed || !isOpen(state)) return UNCHANGED;
      return done({ type: 'attempt_unconfirmed', ...mark(state, nowMs), orderId });
    default:
      return unreachable(answer);
  }
}

/**
 * A refusal is the only answer after which another rail is asked at once; an unknown one never is.
 * A payment that is to end gets no other rail.
 */
function refuseCharge(state: PaymentState, attempt: Attempt, nowMs: number): Decision {
  const { orderId, method } = attempt;
  const [rail, ...nextRails] = isOpen(state) && !isEndRequested(state) ? state.nextRails : [];
  const isLast = rail === undefined || state.attempts.length >= MAX_ATTEMPTS;
  if (isLast) return endCharge(state, orderId, nowMs);
  const refused: PaymentEvent = { type: 'attempt_refused', ...mark(state, nowMs), orderId, isLast };
  const plan = planNext(state, { rail, method, nextRails });
  return done(refused, startAttempt(state, plan, nowMs, 1));
}

/** Ends a charge that the rail has not accepted; no other rail is asked. */
export function endCharge(state: PaymentState, orderId: OrderId, nowMs: number): Decision {
  const ended = { type: 'attempt_refused', ...mark(state, nowMs), orderId, isLast: true } as const;
  return done(ended, ...endAfterRefusal(state, nowMs));
}

/**
 * A create ends with its refusal; after a choice on the page the customer may choose another
 * method.
 */
function endAfterRefusal(state: PaymentState, nowMs: number): readonly PaymentEvent[] {
  if (!isOpen(state)) return [];
  const at = mark(state, nowMs, 1);
  if (state.status === 'creating') {
    const failureCode = 'processing_failed';
    return [{ type: 'payment_failed', ...at, failureCode, orderId: null }];
  }
  if (state.cancelRequest !== null) return [{ type: 'payment_cancelled', ...at }];
  if (state.expiryRequestedAtMs === null) return [];
  return [{ type: 'payment_failed', ...at, failureCode: 'expired', orderId: null }];
}

/** Every call of an effect is stored in the commit of its event and made after that commit. */
export const attemptHandlers: EventHandlers<AttemptEvents> = {
  attempt_started: {
    evolve: (state, { version, attempt }) => {
      const started = createAttempt(attempt, state.attempts.length + 1, state.environment);
      const attempts = [...closePayable(state), started];
      return { ...state, version, attempts, nextRails: attempt.nextRails, methodChange: null };
    },
    effects: (state, { attempt }) => ({ ...NO_EFFECTS, railCalls: callCharge(state, attempt) }),
  },
  attempt_accepted: {
    evolve: (state, { version, orderId, railReference, instructions }) => {
      const answer = { status: 'open', isUnconfirmed: false, railReference, instructions } as const;
      const attempts = changeAttempt(state, orderId, answer);
      return state.status === 'creating'
        ? { ...state, version, attempts, status: 'pending' }
        : { ...state, version, attempts };
    },
    effects: (state) => {
      const answers = answerWaiters(state, ACCEPTED);
      return { ...NO_EFFECTS, railCalls: callCloseAccepted(state), answers };
    },
  },
  attempt_refused: {
    evolve: (state, { version, orderId }) => {
      const refused = { status: 'refused', isUnconfirmed: false } as const;
      return { ...state, version, attempts: changeAttempt(state, orderId, refused) };
    },
    effects: (state, { isLast }) =>
      isLast ? { ...NO_EFFECTS, answers: answerWaiters(state, CHOICE_FAILED) } : NO_EFFECTS,
  },
  attempt_unconfirmed: {
    evolve: (state, { version, orderId }) => {
      const attempts = changeAttempt(state, orderId, { isUnconfirmed: true });
      return { ...state, version, attempts };
    },
    effects: (state) => ({ ...NO_EFFECTS, answers: answerWaiters(state, CHARGE_UNKNOWN) }),
  },
  attempt_closed: {
    evolve: (state, { version, orderId }) => {
      const closed = { status: 'closed', isUnconfirmed: false } as const;
      return { ...state, version, attempts: changeAttempt(state, orderId, closed) };
    },
    effects: () => NO_EFFECTS,
  },
};

/** All attempts, with one of them changed. */
export function changeAttempt(
  state: PaymentState,
  orderId: OrderId,
  change: Partial<Attempt>,
): readonly Attempt[] {
  return state.attempts.map((attempt) =>
    attempt.orderId === orderId ? { ...attempt, ...change } : attempt,
  );
}

/** The sandbox closes the remaining orders by itself; LIVE rails confirm each close. */
export function closePayable(state: PaymentState): readonly Attempt[] {
  if (state.environment === 'LIVE') return state.attempts;
  return state.attempts.map((attempt) =>
    isPayable(attempt) ? { ...attempt, status: 'closed' } : attempt,
  );
}
