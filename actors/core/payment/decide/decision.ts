// What every decision is made of. Events carry their version, counted on from the state's, so that a fold of
// the same command makes the same events again.
import type { PaymentId } from '#actors/core/ids.js';
import type { PaymentEvent } from '../events.js';
import type { Outcome, Rejection } from '../outcome.js';
import type { PaymentState } from '../state.js';

export interface Decision {
  readonly events: readonly PaymentEvent[];
  readonly outcome: Outcome;
}

const NO_EVENTS: readonly PaymentEvent[] = [];
export const UNCHANGED: Decision = { events: NO_EVENTS, outcome: 'unchanged' };
export const WAITING: Decision = { events: NO_EVENTS, outcome: 'waiting' };
export const REPLAYED: Decision = { events: NO_EVENTS, outcome: 'replayed' };

export function reject(outcome: Rejection): Decision {
  return { events: NO_EVENTS, outcome };
}

export function done(...events: readonly PaymentEvent[]): Decision {
  return { events, outcome: 'done' };
}

interface Mark {
  readonly paymentId: PaymentId;
  readonly version: number;
  readonly atMs: number;
}

/** What the next event carries; `ahead` events of the same decision stand before it. */
export function mark(state: PaymentState, atMs: number, ahead = 0): Mark {
  return { paymentId: state.id, version: state.version + 1 + ahead, atMs };
}
