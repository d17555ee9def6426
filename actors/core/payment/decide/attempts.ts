// Attempts at rails: the customer's choice of a method, and a rail's answer to a charge. A new attempt
// begins only when nobody can pay the former any more: the rail has confirmed that, or refused it outright.
import { unreachable } from '#actors/core/unreachable.js';
import { type OrderId, orderIdOf } from '#actors/core/ids.js';
import { isAmountWithinRange, isChoiceOpen } from '#actors/core/payment-methods.js';
import type { AnswerCharge, ChooseMethod } from '../commands.js';
import type { AttemptPlan, AttemptStarted, PaymentEvent } from '../events.js';
import { type Attempt, findAttempt, isOpen, isPayable, latestAttempt } from '../state.js';
import type { OpenPayment, PaymentState } from '../state.js';
import { firstLiveRail } from './create.js';
import { type Decision, done, mark, reject, UNCHANGED, WAITING } from './decision.js';

/** Customers who change their mind; each is an order at a rail. */
const MAX_ATTEMPTS = 20;

export function decideChoice(state: PaymentState, command: ChooseMethod, nowMs: number): Decision {
  if (state.status !== 'pending' || nowMs >= state.expiresAtMs) return reject('state_conflict');
  const { amountMinor, paymentMethod } = state.request;
  const isOnOffer =
    isChoiceOpen(paymentMethod, command.method) && isAmountWithinRange(amountMinor, command.method);
  if (!isOnOffer) return reject('payment_method_unavailable');
  return state.environment === 'TEST'
    ? chooseInSandbox(state, command, nowMs)
    : chooseAtRail(state, command, nowMs);
}

function chooseInSandbox(state: OpenPayment, command: ChooseMethod, nowMs: number): Decision {
  if (latestAttempt(state)?.method === command.method) return UNCHANGED;
  if (state.attempts.length >= MAX_ATTEMPTS) return reject('attempt_limit_reached');
  const plan = planNext(state, { rail: 'sandbox', method: command.method, nextRails: [] });
  return done(startAttempt(state, plan, nowMs));
}

/** The former order is closed first: two that can be paid would be two payments. */
function chooseAtRail(state: OpenPayment, command: ChooseMethod, nowMs: number): Decision {
  const { method, rails } = command;
  if (state.cancelRequest !== null || state.expiryRequestedAtMs !== null) {
    return reject('state_conflict');
  }
  if (state.methodChange !== null) {
    return state.methodChange.method === method ? WAITING : reject('state_conflict');
  }
  const current = latestAttempt(state);
  if (current !== undefined && isPayable(current)) {
    if (current.method === method) return current.status === 'open' ? UNCHANGED : WAITING;
    if (current.status === 'charging') return reject('state_conflict');
  }
  const rail = firstLiveRail(rails);
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
  return { orderId: orderIdOf(state.id, state.attempts.length + 1), ...plan };
}

export function startAttempt(
  state: PaymentState,
  attempt: AttemptPlan,
  nowMs: number,
  ahead = 0,
): AttemptStarted {
  return { type: 'attempt_started', ...mark(state, nowMs, ahead), attempt };
}

/** An answer that comes late, or twice, finds the attempt answered and changes nothing. */
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
      return chargeRefused(state, attempt, nowMs);
    case 'unknown':
      if (attempt.isUnconfirmed || !isOpen(state)) return UNCHANGED;
      return done({ type: 'attempt_unconfirmed', ...mark(state, nowMs), orderId });
    default:
      return unreachable(answer);
  }
}

/**
 * A refusal is the one answer after which another rail may be asked at once; an unknown one never is. No
 * other rail is tried for a payment that is to end.
 */
function chargeRefused(state: PaymentState, attempt: Attempt, nowMs: number): Decision {
  const { orderId, method } = attempt;
  const [rail, ...nextRails] = isOpen(state) && !isEndRequested(state) ? state.nextRails : [];
  if (rail === undefined || state.attempts.length >= MAX_ATTEMPTS) {
    return done(refused(state, orderId, nowMs, true), ...endAfterRefusal(state, nowMs));
  }
  const plan = planNext(state, { rail, method, nextRails });
  return done(refused(state, orderId, nowMs, false), startAttempt(state, plan, nowMs, 1));
}

function refused(
  state: PaymentState,
  orderId: OrderId,
  nowMs: number,
  isLast: boolean,
): PaymentEvent {
  return { type: 'attempt_refused', ...mark(state, nowMs), orderId, isLast };
}

function isEndRequested(state: OpenPayment): boolean {
  return state.cancelRequest !== null || state.expiryRequestedAtMs !== null;
}

/** A create ends with its refusal; a method chosen on the page leaves the others on offer. */
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
