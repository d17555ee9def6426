// When the rail is asked next what became of a payout. Until it said so, by the schedule of status look-ups, the
// last step again and again; once it is completed for some days, since banks send money back that late.
import type { PayoutState } from './state.js';

const HOUR_MS = 3_600_000;
/** A rail that has not said for so long what became of a payout is asked by a person. */
export const UNRESOLVED_AFTER_MS = 24 * HOUR_MS;
/** Ages of a completed payout at which it is looked up; behind the last one no more. */
const REVERSAL_LOOK_UPS_H = [1, 6, 24, 48, 96, 168] as const;

/** `lookUps`: how many there were. null: there is nothing more to ask. */
export function nextLookUpInMs(
  state: PayoutState,
  { nowMs, lookUps, stepsMs }: { nowMs: number; lookUps: number; stepsMs: readonly number[] },
): number | null {
  const { status, rail, completedAtMs } = state;
  if (status === 'PROCESSING') {
    const step = stepsMs[Math.min(lookUps, stepsMs.length - 1)];
    return step ?? HOUR_MS;
  }
  if (status !== 'COMPLETED' || completedAtMs === null || rail === null || rail === 'sandbox') {
    return null;
  }
  const ageMs = nowMs - completedAtMs;
  const next = REVERSAL_LOOK_UPS_H.find((hours) => hours * HOUR_MS > ageMs);
  return next === undefined ? null : next * HOUR_MS - ageMs;
}

/** Whether a person is to be told that nobody knows what became of it. */
export function isToBeLeftUnresolved(state: PayoutState, nowMs: number): boolean {
  const { status, sentAtMs, isUnresolved } = state;
  if (status !== 'PROCESSING' || sentAtMs === null || isUnresolved) return false;
  return nowMs - sentAtMs >= UNRESOLVED_AFTER_MS;
}
