// Creates a payout: one statement (store/postgres/functions/payouts.sql) claims the idempotency key, takes the money from
// the available balance and stores the payout. Its outcome equals the decision of the state machine on the same
// balance; a test compares the two.
import type { RequestPayout } from '#actors/core/payout/commands.js';
import { decidePayout, type PayoutOutcome } from '#actors/core/payout/decide.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import type { Postgres } from '../client.js';
import { applyEvents } from './apply-command.js';
import { writeTransition } from './payout-row.js';

export type ReserveOutcome = Extract<
  PayoutOutcome,
  'created' | 'replayed' | 'idempotency_conflict' | 'balance_insufficient'
>;

export interface Reservation {
  readonly payout: Omit<RequestPayout, 'type' | 'availableMinor'>;
  /** Digest of the idempotency key; null: none was sent. */
  readonly key: string | null;
  readonly nowMs: number;
}

/** The state of the payout if the available balance suffices, which the store decides. */
export function buildReservedState({ payout, nowMs }: Reservation): PayoutState {
  return buildFirstTransition(payout, nowMs).state;
}

/** @throws when Postgres does not answer: the outcome is then unknown unless findUndoneReason gives a reason */
export async function reservePayout(
  sql: Postgres,
  { payout, key, nowMs }: Reservation,
): Promise<ReserveOutcome> {
  const { state, steps } = buildFirstTransition(payout, nowMs);
  const { row, events, postings } = writeTransition(state, steps);
  const rows = await sql<{ outcome: ReserveOutcome }[]>`
    select reserve_payout(${row}::text::jsonb, ${key}, ${events}::text::jsonb,
                          ${postings}::text::jsonb) as outcome`;
  const outcome = rows[0]?.outcome;
  if (outcome === undefined) throw new Error('reserve_payout returned no row');
  return outcome;
}

function buildFirstTransition(payout: Reservation['payout'], nowMs: number) {
  const availableMinor = payout.request.amountMinor;
  const command = { type: 'request', ...payout, availableMinor } as const;
  return applyEvents(undefined, decidePayout(undefined, command, nowMs).events);
}
