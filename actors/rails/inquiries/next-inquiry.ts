// When something is looked up again: by the schedule, then after twice as long each time, up to LONGEST_MS, until the
// watch ends.
import type { NextInquiry } from '#store/postgres/rails/inquiries.js';

const LONGEST_MS = 6 * 3_600_000;
/** After a settlement: some banks take one back within minutes. */
const AFTER_SETTLEMENT_MS = 2 * 3_600_000;

export interface InquirySchedule {
  readonly step: number;
  readonly inquireUntilMs: number;
  readonly nowMs: number;
  readonly scheduleS: readonly number[];
}

/** null: the watch ends. */
export function planNextInquiry({
  step,
  inquireUntilMs,
  nowMs,
  scheduleS,
}: InquirySchedule): NextInquiry | null {
  const inMs = computeDelayMs(scheduleS, step);
  if (nowMs + inMs > inquireUntilMs) return null;
  return { inMs, step: step + 1, inquireUntilMs };
}

/** The schedule begins anew, and ends sooner. */
export function planAfterSettlement(look: InquirySchedule): NextInquiry | null {
  const watchUntilMs = look.nowMs + AFTER_SETTLEMENT_MS;
  return planNextInquiry({ ...look, step: 0, inquireUntilMs: watchUntilMs });
}

/** The last one when the watch ends: then a person is told. */
export function planRefundInquiry(look: InquirySchedule): NextInquiry | null {
  const { step, inquireUntilMs, nowMs } = look;
  if (nowMs >= inquireUntilMs) return null;
  return planNextInquiry(look) ?? { inMs: inquireUntilMs - nowMs, step: step + 1, inquireUntilMs };
}

function computeDelayMs(scheduleS: readonly number[], step: number): number {
  const given = scheduleS[step];
  if (given !== undefined) return given * 1000;
  const beyond = Math.min(step - scheduleS.length + 1, 20);
  return Math.min(Number(scheduleS.at(-1)) * 1000 * 2 ** beyond, LONGEST_MS);
}
