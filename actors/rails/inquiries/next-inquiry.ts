// Plans the next status inquiry: by the schedule, then with doubled delays up to MAX_DELAY_MS, until `inquireUntilMs`.
import type { NextInquiry } from '#store/postgres/rails/inquiries.js';

const MAX_DELAY_MS = 6 * 3_600_000;
/** Some banks take a settlement back within minutes. */
const AFTER_SETTLEMENT_MS = 2 * 3_600_000;

export interface InquirySchedule {
  readonly step: number;
  readonly inquireUntilMs: number;
  readonly nowMs: number;
  readonly scheduleS: readonly number[];
}

/** null: inquiries end. */
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

/** Restarts the schedule with an earlier end. */
export function planAfterSettlement(schedule: InquirySchedule): NextInquiry | null {
  const inquireUntilMs = schedule.nowMs + AFTER_SETTLEMENT_MS;
  return planNextInquiry({ ...schedule, step: 0, inquireUntilMs });
}

/** The last inquiry is made when inquiries end: an operator task follows from it. */
export function planRefundInquiry(schedule: InquirySchedule): NextInquiry | null {
  const { step, inquireUntilMs, nowMs } = schedule;
  if (nowMs >= inquireUntilMs) return null;
  return (
    planNextInquiry(schedule) ?? { inMs: inquireUntilMs - nowMs, step: step + 1, inquireUntilMs }
  );
}

function computeDelayMs(scheduleS: readonly number[], step: number): number {
  const given = scheduleS[step];
  if (given !== undefined) return given * 1000;
  const beyond = Math.min(step - scheduleS.length + 1, 20);
  return Math.min(Number(scheduleS.at(-1)) * 1000 * 2 ** beyond, MAX_DELAY_MS);
}
