// Tests of the state machine read: given what has happened, when this is asked, then that follows.
import t from 'tap';
import { decide, deriveEffects, evolve } from '#actors/core/payment/state-machine.js';
import type { Effects } from '#actors/core/payment/slice.js';
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import type { EventType, PaymentEvent } from '#actors/core/payment/events.js';
import type { Outcome } from '#actors/core/payment/outcome.js';
import type { PaymentState } from '#actors/core/payment/state.js';

export const START_MS = Date.UTC(2026, 7, 2, 10, 15, 30, 123);

/** A command, and how long after the start of the story it comes (a second unless said). */
export type Step = PaymentCommand | { readonly afterMs: number; readonly command: PaymentCommand };

const DEFAULT_AFTER_MS = 1000;

function toTimed(step: Step): { nowMs: number; command: PaymentCommand } {
  return 'command' in step
    ? { nowMs: START_MS + step.afterMs, command: step.command }
    : { nowMs: START_MS + DEFAULT_AFTER_MS, command: step };
}

export function fold(
  events: readonly PaymentEvent[],
  before?: PaymentState,
): PaymentState | undefined {
  return events.reduce<PaymentState | undefined>((state, event) => evolve(state, event), before);
}

/** The events that these steps bring about, one after the other. */
export function tell(...steps: readonly Step[]): readonly PaymentEvent[] {
  const events: PaymentEvent[] = [];
  let state: PaymentState | undefined;
  for (const step of steps) {
    const { nowMs, command } = toTimed(step);
    const decision = decide(state, command, nowMs);
    state = fold(decision.events, state);
    events.push(...decision.events);
  }
  return events;
}

/** The payment after these events; throws when there is none. */
export function paymentAfter(events: readonly PaymentEvent[]): PaymentState {
  const state = fold(events);
  if (state === undefined) throw new Error('the story does not create a payment');
  return state;
}

/** The effects of each event, in order. */
export function effectsOf(
  events: readonly PaymentEvent[],
  before?: PaymentState,
): readonly Effects[] {
  let state = before;
  return events.map((event) => {
    state = evolve(state, event);
    return deriveEffects(state, event);
  });
}

export interface Result {
  readonly events: readonly PaymentEvent[];
  readonly outcome: Outcome;
  readonly state: PaymentState | undefined;
  readonly effects: readonly Effects[];
  /** Asserts the outcome and the types of the events, in order. */
  readonly then: (outcome: Outcome, ...types: readonly EventType[]) => Result;
}

/** `given(...).when(command).then('done', 'payment_paid')`; the result holds everything else. */
export function given(history: readonly PaymentEvent[]): { when: (step: Step) => Result } {
  const before = fold(history);
  return {
    when: (step) => {
      const { nowMs, command } = toTimed(step);
      const { events, outcome } = decide(before, command, nowMs);
      const result: Result = {
        events,
        outcome,
        state: fold(events, before),
        effects: effectsOf(events, before),
        then: (expected, ...types) => {
          const actual = [outcome, ...events.map((event) => event.type)];
          t.same(actual, [expected, ...types], `${command.type} in ${before?.status ?? 'none'}`);
          return result;
        },
      };
      return result;
    },
  };
}
