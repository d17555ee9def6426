// Attempts at rails. LIVE: charging until the rail answers, then open or refused; open until it settles,
// fails or is closed. TEST: open at once, and closed as soon as the payment no longer needs it.
import { unreachable } from '#actors/core/unreachable.js';
import type { Environment, OrderId } from '#actors/core/ids.js';
import type { AttemptEvent, AttemptPlan } from '../events.js';
import { type Attempt, isPayable, type PaymentState } from '../state.js';

export function evolveAttempt(state: PaymentState, event: AttemptEvent): PaymentState {
  const { version } = event;
  switch (event.type) {
    case 'attempt_started': {
      const { attempt } = event;
      const started = startAttempt(attempt, state.attempts.length + 1, state.environment);
      const attempts = [...closePayable(state), started];
      return { ...state, version, attempts, nextRails: attempt.nextRails, methodChange: null };
    }
    case 'attempt_accepted': {
      const { railReference, instructions } = event;
      const answer = { status: 'open', isUnconfirmed: false, railReference, instructions } as const;
      const attempts = changeAttempt(state, event.orderId, answer);
      return state.status === 'creating'
        ? { ...state, version, attempts, status: 'pending' }
        : { ...state, version, attempts };
    }
    case 'attempt_refused': {
      const refused = { status: 'refused', isUnconfirmed: false } as const;
      return { ...state, version, attempts: changeAttempt(state, event.orderId, refused) };
    }
    case 'attempt_unconfirmed': {
      const attempts = changeAttempt(state, event.orderId, { isUnconfirmed: true });
      return { ...state, version, attempts };
    }
    case 'attempt_closed': {
      const closed = { status: 'closed', isUnconfirmed: false } as const;
      return { ...state, version, attempts: changeAttempt(state, event.orderId, closed) };
    }
    default:
      return unreachable(event);
  }
}

/** The sandbox takes every charge at once. */
export function startAttempt(plan: AttemptPlan, number: number, environment: Environment): Attempt {
  return {
    number,
    orderId: plan.orderId,
    rail: plan.rail,
    method: plan.method,
    status: environment === 'TEST' ? 'open' : 'charging',
    isUnconfirmed: false,
    railReference: null,
    instructions: null,
  };
}

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

/** The sandbox closes what the payment leaves behind by itself; LIVE rails say when they have. */
export function closePayable(state: PaymentState): readonly Attempt[] {
  if (state.environment === 'LIVE') return state.attempts;
  return state.attempts.map((attempt) =>
    isPayable(attempt) ? { ...attempt, status: 'closed' } : attempt,
  );
}
