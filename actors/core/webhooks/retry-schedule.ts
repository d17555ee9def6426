// The retry schedule: the delay before a failed delivery is attempted again. Each step is varied by ± 20 %, so that
// deliveries that failed together are not repeated together. A receiver's Retry-After is honoured up to twice the step.

/** The seconds after the first failure, after the second, …: 2.9 days in all. WEBHOOK_RETRY_SCHEDULE replaces them. */
export const RETRY_SCHEDULE_S: readonly number[] = [
  5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 86_400,
];

const JITTER = 0.2;
const RETRY_AFTER_STEPS = 2;

export interface FailedDelivery {
  /** The delay after the first failure, after the second, … */
  readonly scheduleS: readonly number[];
  /** Failures in this round, this one included: 1 after the first attempt. */
  readonly failures: number;
  /** From 0 up to 1. */
  readonly random: number;
  /** The receiver's Retry-After; null: it sent none. */
  readonly retryAfterMs: number | null;
}

/** null: the schedule is at its end and the delivery is dead. */
export function findNextAttemptInMs(question: FailedDelivery): number | null {
  const { scheduleS, failures, random, retryAfterMs } = question;
  const stepS = scheduleS[failures - 1];
  if (stepS === undefined) return null;
  const stepMs = stepS * 1000;
  const planned = Math.round(stepMs * (1 - JITTER + 2 * JITTER * random));
  const asked = Math.min(retryAfterMs ?? 0, stepMs * RETRY_AFTER_STEPS);
  return Math.max(planned, asked);
}

/** Reads seconds or an HTTP date; null: the header is absent, malformed or in the past. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  if (/^[0-9]{1,9}$/.test(header)) return Number(header) * 1000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) || atMs <= nowMs ? null : atMs - nowMs;
}
