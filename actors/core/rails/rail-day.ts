// The day that rails close their books by: Jakarta's, which knows no daylight saving time.

const JAKARTA = '+07:00';
const JAKARTA_MS = 7 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
const WRITTEN = /^\d{4}-\d{2}-\d{2}$/;

export interface RailDay {
  /** `2026-08-02` */
  readonly day: string;
  readonly fromMs: number;
  /** Not of it any more. */
  readonly toMs: number;
}

/** undefined: there is no such day. */
export function parseRailDay(text: string): RailDay | undefined {
  const fromMs = WRITTEN.test(text) ? Date.parse(`${text}T00:00:00${JAKARTA}`) : Number.NaN;
  if (Number.isNaN(fromMs) || dayAt(fromMs) !== text) return undefined;
  return { day: text, fromMs, toMs: fromMs + DAY_MS };
}

/** The last day that was over at that time. */
export function lastRailDay(nowMs: number): string {
  return dayAt(nowMs - DAY_MS);
}

function dayAt(ms: number): string {
  return new Date(ms + JAKARTA_MS).toISOString().slice(0, 10);
}
