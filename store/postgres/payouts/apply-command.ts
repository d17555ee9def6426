// A command to a stored payout: read, decided, and written by compare-and-set on what was read. Whoever comes
// second decides again on what the first one made of it.
import type { LaterCommand } from '#actors/core/payout/commands.js';
import { decidePayout, type PayoutOutcome } from '#actors/core/payout/decide.js';
import { payoutEffects } from '#actors/core/payout/effects.js';
import type { PayoutEvent } from '#actors/core/payout/events.js';
import { evolvePayout } from '#actors/core/payout/evolve.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import type { PayoutId } from '#actors/core/ids.js';
import { actingAs, type Actor } from '../operations/audit.js';
import type { Postgres } from '../client.js';
import {
  type PayoutRow,
  selectPayout,
  type Step,
  toPayoutState,
  writeTransition,
} from './payout-row.js';

const MAX_TRIES = 8;

export interface Circumstances {
  readonly nowMs: number;
  /** When the rails process comes back to it; null: never. */
  readonly dueInMs: (state: PayoutState) => number | null;
  /** The look-up that the command follows from: what it says is dropped when a later one was begun. */
  readonly lookUp?: number;
  /** The administrator who asks. */
  readonly actor?: Actor;
}

/** overtaken: a later look-up was begun, or many others changed it at once; nothing was done. */
export interface Applied {
  readonly outcome: PayoutOutcome | 'overtaken';
  /** As it is now; undefined: there is no such payout. */
  readonly state: PayoutState | undefined;
}

/** @throws when the database cannot be asked: then it is not known whether it was done */
export async function applyCommand(
  sql: Postgres,
  id: PayoutId,
  command: LaterCommand,
  circumstances: Circumstances,
): Promise<Applied> {
  const { nowMs, lookUp } = circumstances;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const rows = await sql<(PayoutRow & { look_ups: number })[]>`
      ${selectPayout(sql)} where id = ${id}`;
    const [row] = rows;
    const before = row === undefined ? undefined : toPayoutState(row);
    if (lookUp !== undefined && row?.look_ups !== lookUp) {
      return { outcome: 'overtaken', state: before };
    }
    const { outcome, events } = decidePayout(before, command, nowMs);
    if (before === undefined || events.length === 0) return { outcome, state: before };
    const { state, steps } = follow(before, events);
    if (await move(sql, before, { state, steps, circumstances })) return { outcome, state };
  }
  return { outcome: 'overtaken', state: undefined };
}

export function follow(
  before: PayoutState | undefined,
  events: readonly PayoutEvent[],
): { state: PayoutState; steps: readonly Step[] } {
  let state = before;
  const steps = events.map((event): Step => {
    const after = evolvePayout(state, event);
    state = after;
    return { event, effects: payoutEffects(after, event) };
  });
  if (state === undefined) throw new Error('a payout begins with an event');
  return { state, steps };
}

interface Change {
  readonly state: PayoutState;
  readonly steps: readonly Step[];
  readonly circumstances: Circumstances;
}

async function move(sql: Postgres, before: PayoutState, change: Change): Promise<boolean> {
  const { state, steps, circumstances } = change;
  const { dueInMs, lookUp = null, actor } = circumstances;
  const { row, events, postings, tasks } = writeTransition(state, steps);
  const call = sql`
    move_payout(${row}::text::jsonb, ${before.version}::integer, ${lookUp}::integer,
                ${dueInMs(state)}::bigint, ${events}::text::jsonb, ${postings}::text::jsonb,
                ${tasks}::text::jsonb)`;
  const rows = await (actor === undefined
    ? sql<{ moved: boolean }[]>`select ${call} as moved`
    : sql<{ moved: boolean }[]>`
        with ${actingAs(sql, actor)} select ${call} as moved from acting where is_set`);
  const [result] = rows;
  if (result === undefined) throw new Error('a transition was not answered');
  return result.moved;
}
