// The schedule of status inquiries of a payout. Until the rail reports a result: the steps of the
// configuration, the last one repeated. For some days after completion, since banks may send money
// back that late, and as long after an administrator has failed it, since its rail may have paid.
// After a callback: more inquiries within the hour, since the status that a rail answers may lag
// behind its callback.
import type { PayoutState } from './state.js';

const HOUR_MS = 3_600_000;
/** A payout that waits for so long, to be sent or for its result, needs a person. */
export const UNRESOLVED_AFTER_MS = 24 * HOUR_MS;
/** Ages of an ended payout at which the rail is asked again; no more after the last. */
const INQUIRY_AGES_MS = [1, 6, 24, 48, 96, 168].map((hours) => hours * HOUR_MS);
/** Ages of a callback at which the rail is asked again while its answers bring no news. */
const CALLBACK_AGES_MS = [2, 10, 60, 600, 3_600].map((seconds) => seconds * 1000);

export interface InquiryProgress {
  readonly nowMs: number;
  /** The number of inquiries so far. */
  readonly inquiries: number;
  readonly stepsMs: readonly number[];
  /** The time of the rail's latest callback; null: there is none, or its news is known. */
  readonly calledBackAtMs?: number | null;
}

/** null: there is nothing more to ask. */
export function findNextInquiryInMs(state: PayoutState, progress: InquiryProgress): number | null {
  const { nowMs, calledBackAtMs = null } = progress;
  const scheduled = findScheduledInMs(state, progress);
  const afterCallback = findInMs(CALLBACK_AGES_MS, calledBackAtMs, nowMs);
  if (scheduled === null || afterCallback === null) return scheduled ?? afterCallback;
  return Math.min(scheduled, afterCallback);
}

function findScheduledInMs(state: PayoutState, progress: InquiryProgress): number | null {
  const { nowMs, inquiries, stepsMs } = progress;
  if (state.status === 'PROCESSING') {
    return stepsMs[Math.min(inquiries, stepsMs.length - 1)] ?? HOUR_MS;
  }
  if (state.rail === null || state.rail === 'sandbox') return null;
  if (state.status === 'COMPLETED') return findInMs(INQUIRY_AGES_MS, state.completedAtMs, nowMs);
  const isFailedByHand = state.status === 'FAILED' && state.externalReference !== null;
  return isFailedByHand ? findInMs(INQUIRY_AGES_MS, state.failedAtMs, nowMs) : null;
}

/** Until the first of these ages that has not passed; null: all have. */
function findInMs(agesMs: readonly number[], sinceMs: number | null, nowMs: number): number | null {
  if (sinceMs === null) return null;
  const next = agesMs.find((ageMs) => ageMs > nowMs - sinceMs);
  return next === undefined ? null : next - (nowMs - sinceMs);
}
