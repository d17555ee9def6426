// Plans the next status inquiry: by the schedule, then with doubled delays up to MAX_DELAY_MS, until `inquireUntilMs`. While a
// callback is unconfirmed, inquiries follow the fast schedule instead, also beyond `inquireUntilMs`.
import type { ReportedState } from '#actors/core/statuses.js';
import type { NextInquiry } from '#store/postgres/rails/inquiries.js';

const MAX_DELAY_MS = 6 * 3_600_000;
/** Together 1 h 49 min: a rail's status lags behind its callbacks for seconds, and a rail that is down returns within an hour. */
const FAST_SCHEDULE_S = [2, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600];
/** For inquiries after a settlement that the rail does not answer. */
const AFTER_SETTLEMENT_MS = 2 * 3_600_000;

export interface InquirySchedule {
  /** Below zero: of the inquiries after a settlement. */
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
  return { inMs, step: step + 1, inquireUntilMs, fast: null };
}

export interface UnconfirmedReports {
  /** Not empty. */
  readonly unconfirmed: readonly ReportedState[];
  readonly fastStep: number;
}

/** `otherwise`: the next inquiry without a callback. null: the fast schedule is over and has not found what was reported. */
export function planFastInquiry(
  { step, inquireUntilMs, nowMs }: InquirySchedule,
  { unconfirmed, fastStep }: UnconfirmedReports,
  otherwise: NextInquiry | null,
): NextInquiry | null {
  const fastS = FAST_SCHEDULE_S[fastStep];
  if (fastS === undefined) return null;
  const fastMs = fastS * 1000;
  // An inquiry of the schedule is none of the fast ones, so that these take their whole time.
  if (otherwise !== null && otherwise.inMs < fastMs) {
    return { ...otherwise, fast: { step: fastStep, unconfirmed } };
  }
  const untilMs = Math.max(inquireUntilMs, nowMs + fastMs);
  return { inMs: fastMs, step, inquireUntilMs: untilMs, fast: { step: fastStep + 1, unconfirmed } };
}

/**
 * Two inquiries follow a settlement, after the third-last and the last delay of the schedule (15 min and 1 h by default),
 * since some banks take money back within minutes. Rails limit requests, and most inquiries would be of paid orders.
 */
export function planAfterSettlement({
  step,
  nowMs,
  scheduleS,
}: InquirySchedule): NextInquiry | null {
  const delayS = listLateDelays(scheduleS)[-Math.min(step, 0)];
  if (delayS === undefined) return null;
  const inMs = delayS * 1000;
  const inquireUntilMs = nowMs + inMs + AFTER_SETTLEMENT_MS;
  return { inMs, step: Math.min(step, 0) - 1, inquireUntilMs, fast: null };
}

/** After a settlement the rail did not answer, or not clearly: the same inquiry again. */
export function repeatAfterSettlement(schedule: InquirySchedule): NextInquiry | null {
  const { step, inquireUntilMs, nowMs, scheduleS } = schedule;
  const inMs = Number(listLateDelays(scheduleS)[-step - 1]) * 1000;
  return nowMs + inMs > inquireUntilMs ? null : { inMs, step, inquireUntilMs, fast: null };
}

function listLateDelays(scheduleS: readonly number[]): readonly number[] {
  const last = Number(scheduleS.at(-1));
  return [scheduleS.at(-3) ?? last, last];
}

/** The last inquiry is made when inquiries end: an operator task follows from it. */
export function planRefundInquiry(schedule: InquirySchedule): NextInquiry | null {
  const { step, inquireUntilMs, nowMs } = schedule;
  if (nowMs >= inquireUntilMs) return null;
  return (
    planNextInquiry(schedule) ?? {
      ...{ inMs: inquireUntilMs - nowMs, step: step + 1, inquireUntilMs, fast: null },
    }
  );
}

function computeDelayMs(scheduleS: readonly number[], step: number): number {
  const given = scheduleS[step];
  if (given !== undefined) return given * 1000;
  const beyond = Math.min(step - scheduleS.length + 1, 20);
  return Math.min(Number(scheduleS.at(-1)) * 1000 * 2 ** beyond, MAX_DELAY_MS);
}

/** `isAnswered`: no call of the order waits for an answer any more. */
export function planOrderInquiry(
  schedule: InquirySchedule,
  answer: string,
  isAnswered: boolean,
): NextInquiry | null {
  if (answer === 'reversed' && isAnswered) return null;
  if (answer === 'settled') return planAfterSettlement(schedule);
  return schedule.step < 0 ? repeatAfterSettlement(schedule) : planNextInquiry(schedule);
}
