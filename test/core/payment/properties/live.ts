// Runs a story as the actor does, and keeps all its events and effects.
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { decide, deriveEffects, evolve } from '#actors/core/payment/state-machine.js';
import type { Effects } from '#actors/core/payment/slice.js';
import type { PaymentEvent } from '#actors/core/payment/events.js';
import type { Outcome } from '#actors/core/payment/outcome.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { findWaiter } from '#actors/core/payment/outcome.js';
import { START_MS } from '#test/support/given-when-then.js';
import type { TimedCommand } from './commands.js';

export interface Moment {
  readonly before: PaymentState | undefined;
  readonly event: PaymentEvent;
  readonly after: PaymentState;
  readonly effects: Effects;
}

export interface Turn {
  readonly command: PaymentCommand;
  readonly nowMs: number;
  readonly before: PaymentState | undefined;
  readonly outcome: Outcome;
  readonly moments: readonly Moment[];
  readonly after: PaymentState | undefined;
  /** The waiters after this turn. */
  readonly waiting: ReadonlySet<string>;
}

export function live(story: readonly TimedCommand[]): readonly Turn[] {
  const turns: Turn[] = [];
  let state: PaymentState | undefined;
  let nowMs = START_MS;
  let waiting: ReadonlySet<string> = new Set();
  for (const { command, waitMs } of story) {
    nowMs += waitMs;
    const before = state;
    const { events, outcome } = decide(state, command, nowMs);
    const moments: Moment[] = [];
    for (const event of events) {
      const after: PaymentState = evolve(state, event);
      moments.push({ before: state, event, after, effects: deriveEffects(after, event) });
      state = after;
    }
    waiting = waitOn(waiting, { command, outcome, moments });
    turns.push({ command, nowMs, before, outcome, moments, after: state, waiting });
  }
  return turns;
}

function waitOn(
  waiting: ReadonlySet<string>,
  turn: Pick<Turn, 'command' | 'outcome' | 'moments'>,
): ReadonlySet<string> {
  const next = new Set(waiting);
  for (const { effects } of turn.moments) {
    for (const { waiter } of effects.answers) next.delete(waiter);
  }
  const waiter = findWaiter(turn.command);
  if (turn.outcome === 'waiting') next.add(String(waiter));
  return next;
}
