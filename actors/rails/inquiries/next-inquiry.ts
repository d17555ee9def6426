// When something is looked up again: by the schedule, then after twice as long each time, up to LONGEST_MS, until the
// watch ends.
import type { NextLook } from '#store/postgres/rails/inquiries.js';

const LONGEST_MS = 6 * 3_600_000;
/** After a settlement: some banks take one back within minutes. */
const AFTER_SETTLEMENT_MS = 2 * 3_600_000;

export interface Look {
  readonly step: number;
  readonly watchUntilMs: number;
  readonly nowMs: number;
  readonly scheduleS: readonly number[];
}

/** null: the watch ends. */
export function nextLook({ step, watchUntilMs, nowMs, scheduleS }: Look): NextLook | null {
  const inMs = delayMs(scheduleS, step);
  if (nowMs + inMs > watchUntilMs) return null;
  return { inMs, step: step + 1, watchUntilMs };
}

/** The schedule begins anew, and ends sooner. */
export function nextLookOfSettled(look: Look): NextLook | null {
  const watchUntilMs = look.nowMs + AFTER_SETTLEMENT_MS;
  return nextLook({ ...look, step: 0, watchUntilMs });
}

/** The last one when the watch ends: then a person is told. */
export function nextLookOfRefund(look: Look): NextLook | null {
  const { step, watchUntilMs, nowMs } = look;
  if (nowMs >= watchUntilMs) return null;
  return nextLook(look) ?? { inMs: watchUntilMs - nowMs, step: step + 1, watchUntilMs };
}

function delayMs(scheduleS: readonly number[], step: number): number {
  const given = scheduleS[step];
  if (given !== undefined) return given * 1000;
  const beyond = Math.min(step - scheduleS.length + 1, 20);
  return Math.min(Number(scheduleS.at(-1)) * 1000 * 2 ** beyond, LONGEST_MS);
}
