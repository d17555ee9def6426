// The schedule of status inquiries of a payout. Until the rail reports a result: the steps of the configuration, the last
// one repeated. After completion: for some days, since banks may send money back that late.
import type { PayoutState } from './state.js';

const HOUR_MS = 3_600_000;
/** After this time without a result a person asks the rail. */
export const UNRESOLVED_AFTER_MS = 24 * HOUR_MS;
/** Ages of a completed payout at which the rail is asked again; no more after the last. */
const REVERSAL_INQUIRIES_H = [1, 6, 24, 48, 96, 168] as const;

/** `inquiries` is the number of inquiries so far. null: there is nothing more to ask. */
export function findNextInquiryInMs(
  state: PayoutState,
  { nowMs, inquiries, stepsMs }: { nowMs: number; inquiries: number; stepsMs: readonly number[] },
): number | null {
  const { status, rail, completedAtMs } = state;
  if (status === 'PROCESSING') {
    const step = stepsMs[Math.min(inquiries, stepsMs.length - 1)];
    return step ?? HOUR_MS;
  }
  if (status !== 'COMPLETED' || completedAtMs === null || rail === null || rail === 'sandbox') {
    return null;
  }
  const ageMs = nowMs - completedAtMs;
  const next = REVERSAL_INQUIRIES_H.find((hours) => hours * HOUR_MS > ageMs);
  return next === undefined ? null : next * HOUR_MS - ageMs;
}

/** Whether the payout becomes unresolved now, which opens a task. */
export function isUnresolvedDue(state: PayoutState, nowMs: number): boolean {
  const { status, sentAtMs, isUnresolved } = state;
  if (status !== 'PROCESSING' || sentAtMs === null || isUnresolved) return false;
  return nowMs - sentAtMs >= UNRESOLVED_AFTER_MS;
}
