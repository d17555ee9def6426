// The parts that every slice of the payment is made of: decisions, event handlers, effects. Each
// event carries its version, counted on from the state's, so that a repeated fold of a command
// makes the same events again.
import type { Posting } from '../ledger/postings.js';
import type { RailName } from '../rails/rail-names.js';
import type { PaymentEventData, PaymentWebhookType } from '../schemas/event.js';
import type { EventBase, EventOf, EventType, PaymentEvent } from './events.js';
import type { Outcome, Rejection, WaiterAnswer } from './outcome.js';
import type { RailCall } from './rail-calls.js';
import type { PaymentState } from './state.js';
import type { OperatorTask } from './tasks.js';

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

/** The base of the next event; `ahead` events of the same decision come before it. */
export function mark(state: PaymentState, atMs: number, ahead = 0): EventBase {
  return { paymentId: state.id, version: state.version + 1 + ahead, atMs };
}

export interface Webhook {
  readonly type: PaymentWebhookType;
  readonly data: PaymentEventData;
}

/**
 * The work that follows from an event: stored in the event's commit, or (answers) done after it.
 */
export interface Effects {
  /** Added by state-machine.ts. */
  readonly webhook: Webhook | null;
  readonly postings: readonly Posting[];
  /** Unique among all payments of its rail, so that a second booking is refused. */
  readonly railTransaction: { readonly rail: RailName; readonly transactionId: string } | null;
  readonly railCalls: readonly RailCall[];
  readonly tasks: readonly OperatorTask[];
  readonly answers: readonly WaiterAnswer[];
}

/** One shared value, which costs no allocation: creating a TEST payment has these. */
export const NO_EFFECTS: Effects = {
  webhook: null,
  postings: [],
  railTransaction: null,
  railCalls: [],
  tasks: [],
  answers: [],
};

export interface EventHandler<T extends EventType> {
  /** The payment with the event applied. */
  readonly evolve: (state: PaymentState, event: EventOf<T>) => PaymentState;
  /** `state` has the event applied, but no later event of the same decision. */
  readonly effects: (state: PaymentState, event: EventOf<T>) => Effects;
}

/** One handler for each event of a slice. */
export type EventHandlers<Events> = {
  readonly [T in keyof Events & EventType]: EventHandler<T>;
};
