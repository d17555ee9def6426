// A command to a stored payout: read, decided, and written by compare-and-set on what was read. Whoever comes
// second decides again on what the first one made of it.
import type { LaterCommand } from '#actors/core/payout/commands.js';
import { decidePayout, type PayoutOutcome } from '#actors/core/payout/decide.js';
import { derivePayoutEffects } from '#actors/core/payout/effects.js';
import type { PayoutEvent } from '#actors/core/payout/events.js';
import { evolvePayout } from '#actors/core/payout/evolve.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import type { PayoutId } from '#actors/core/ids.js';
import { selectActor, type Actor } from '../operations/audit.js';
import type { Postgres } from '../client.js';
import {
  type PayoutRow,
  selectPayout,
  type PayoutStep,
  buildPayoutState,
  writeTransition,
} from './payout-row.js';

const MAX_TRIES = 8;

export interface CommandContext {
  readonly nowMs: number;
  /** When the rails process comes back to it; null: never. */
  readonly dueInMs: (state: PayoutState) => number | null;
  /** The look-up that the command follows from: what it says is dropped when a later one was begun. */
  readonly inquiry?: number;
  /** The administrator who asks. */
  readonly actor?: Actor;
}

/** overtaken: a later look-up was begun, or many others changed it at once; nothing was done. */
export interface AppliedCommand {
  readonly outcome: PayoutOutcome | 'overtaken';
  /** As it is now; undefined: there is no such payout. */
  readonly state: PayoutState | undefined;
}

/** @throws when the database cannot be asked: then it is not known whether it was done */
export async function applyCommand(
  sql: Postgres,
  id: PayoutId,
  command: LaterCommand,
  circumstances: CommandContext,
): Promise<AppliedCommand> {
  const { nowMs, inquiry } = circumstances;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const rows = await sql<(PayoutRow & { look_ups: number })[]>`
      ${selectPayout(sql)} where id = ${id}`;
    const [row] = rows;
    const before = row === undefined ? undefined : buildPayoutState(row);
    if (inquiry !== undefined && row?.look_ups !== inquiry) {
      return { outcome: 'overtaken', state: before };
    }
    const { outcome, events } = decidePayout(before, command, nowMs);
    if (before === undefined || events.length === 0) return { outcome, state: before };
    const { state, steps } = applyEvents(before, events);
    if (await saveTransition(sql, before, { state, steps, circumstances }))
      return { outcome, state };
  }
  return { outcome: 'overtaken', state: undefined };
}

export function applyEvents(
  before: PayoutState | undefined,
  events: readonly PayoutEvent[],
): { state: PayoutState; steps: readonly PayoutStep[] } {
  let state = before;
  const steps = events.map((event): PayoutStep => {
    const after = evolvePayout(state, event);
    state = after;
    return { event, effects: derivePayoutEffects(after, event) };
  });
  if (state === undefined) throw new Error('a payout begins with an event');
  return { state, steps };
}

interface Change {
  readonly state: PayoutState;
  readonly steps: readonly PayoutStep[];
  readonly circumstances: CommandContext;
}

async function saveTransition(
  sql: Postgres,
  before: PayoutState,
  change: Change,
): Promise<boolean> {
  const { state, steps, circumstances } = change;
  const { dueInMs, inquiry = null, actor } = circumstances;
  const { row, events, postings, tasks } = writeTransition(state, steps);
  const call = sql`
    move_payout(${row}::text::jsonb, ${before.version}::integer, ${inquiry}::integer,
                ${dueInMs(state)}::bigint, ${events}::text::jsonb, ${postings}::text::jsonb,
                ${tasks}::text::jsonb)`;
  const rows = await (actor === undefined
    ? sql<{ moved: boolean }[]>`select ${call} as moved`
    : sql<{ moved: boolean }[]>`
        with ${selectActor(sql, actor)} select ${call} as moved from acting where is_set`);
  const [result] = rows;
  if (result === undefined) throw new Error('a transition was not answered');
  return result.moved;
}
