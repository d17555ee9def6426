// Charges that got no answer and that their rail does not know. Pure. One "not found" is no proof: the charge may still be on
// its way. So the order must be missing several times, for longer than a rail works on a request; then it is cancelled at
// the rail, for the case that it arrives after all, and inquired once more. Only then the charge counts as not taken, and
// the customer may choose again. Inquiries go on until a day after the order's expiry.
//
//   MISSING ──3 times, over 5 minutes──▶ CANCELLED at the rail ──still missing──▶ NOT TAKEN
//      └──────────── any other answer of the rail ◀───┘
import type { Attempt } from '#actors/core/payment/state.js';
import type { OpenCall } from './inquiry-result.js';

const MIN_ABSENCES = 3;
/** Longer than a rail may work on a request: the SDK of Midtrans waits for 80 s. */
const MIN_ABSENT_MS = 300_000;

export interface Absence {
  readonly count: number;
  readonly sinceMs: number;
}

export interface AbsentOrder {
  readonly attempt: Attempt;
  /** Calls without an answer, of any order of the payment. */
  readonly calls: readonly OpenCall[];
  /** The latest close of the order has not been made yet. */
  readonly isCloseDue: boolean;
  /** Before this inquiry. */
  readonly absence: Absence | null;
  readonly nowMs: number;
  /** The time-out of a call. */
  readonly timeoutMs: number;
}

export type AbsenceStep = 'wait' | 'close' | 'not_taken';

/** Returns the absence with one more inquiry that did not find the order. */
export function countAbsence({ absence, nowMs }: AbsentOrder): Absence {
  return { count: (absence?.count ?? 0) + 1, sinceMs: absence?.sinceMs ?? nowMs };
}

/** `absence` counts this inquiry too. */
export function decideAbsence(order: AbsentOrder, { count, sinceMs }: Absence): AbsenceStep {
  const { attempt, calls, isCloseDue, nowMs, timeoutMs } = order;
  const own = calls.filter(({ call }) => call.orderId === attempt.orderId);
  const isLost = own.some(({ call, isGivenUp }) => call.operation === 'charge' && isGivenUp);
  const minAbsentMs = Math.max(MIN_ABSENT_MS, 2 * timeoutMs);
  const isLong = count >= MIN_ABSENCES && nowMs - sinceMs >= minAbsentMs;
  if (attempt.status !== 'charging' || !isLost || !isLong || isCloseDue) return 'wait';
  const closes = own.filter(({ call }) => call.operation === 'close');
  if (closes.length === 0) return 'close';
  return closes.every(({ isGivenUp }) => isGivenUp) ? 'not_taken' : 'wait';
}
