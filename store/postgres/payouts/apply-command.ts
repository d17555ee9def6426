// Applies a command to a stored payout: reads it, decides, and writes by compare-and-set on its version. After a conflict
// the command is decided again on the new state.
import type { LaterCommand } from '#actors/core/payout/commands.js';
import { decidePayout, type PayoutOutcome } from '#actors/core/payout/decide.js';
import { derivePayoutEffects } from '#actors/core/payout/effects.js';
import type { PayoutEvent } from '#actors/core/payout/events.js';
import { evolvePayout } from '#actors/core/payout/evolve.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import { buildPayoutWebhook } from '#actors/core/payout/webhooks.js';
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
  /** Until the payout's next step is due; null: none is. */
  readonly dueInMs: (state: PayoutState) => number | null;
  /** The inquiry that the command follows from: the command is dropped when a later inquiry has begun. */
  readonly inquiry?: number;
  /** The administrator who gave the command. */
  readonly actor?: Actor;
}

/** overtaken: a later inquiry has begun, or every try met a conflict; nothing was changed. */
export interface AppliedCommand {
  readonly outcome: PayoutOutcome | 'overtaken';
  /** The current state; undefined: the payout does not exist. */
  readonly state: PayoutState | undefined;
}

/** @throws when Postgres does not answer: whether the command was applied is then unknown */
export async function applyCommand(
  sql: Postgres,
  id: PayoutId,
  command: LaterCommand,
  context: CommandContext,
): Promise<AppliedCommand> {
  const { nowMs, inquiry } = context;
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
    if (await saveTransition(sql, before, { state, steps, context })) return { outcome, state };
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
    const effects = derivePayoutEffects(after, event);
    return { event, effects, webhook: buildPayoutWebhook(after, event) };
  });
  if (state === undefined) throw new Error('a payout needs at least one event');
  return { state, steps };
}

interface Change {
  readonly state: PayoutState;
  readonly steps: readonly PayoutStep[];
  readonly context: CommandContext;
}

async function saveTransition(
  sql: Postgres,
  before: PayoutState,
  change: Change,
): Promise<boolean> {
  const { state, steps, context } = change;
  const { dueInMs, inquiry = null, actor } = context;
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
  if (result === undefined) throw new Error('move_payout returned no row');
  return result.moved;
}
