// Days by which rails close their books: Jakarta's, which have no daylight saving time.
const JAKARTA = '+07:00';
const JAKARTA_MS = 7 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
/** Postgres has no year 0. */
const DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/;

export interface RailDay {
  /** `2026-08-02` */
  readonly day: string;
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

/** undefined: there is no such day. */
export function parseRailDay(text: string): RailDay | undefined {
  const fromMs = DAY.test(text) ? Date.parse(`${text}T00:00:00${JAKARTA}`) : Number.NaN;
  if (Number.isNaN(fromMs) || findRailDay(fromMs) !== text) return undefined;
  return { day: text, fromMs, toMs: fromMs + DAY_MS };
}

/** The last day that was over at that time. */
export function findLastRailDay(nowMs: number): string {
  return findRailDay(nowMs - DAY_MS);
}

export function findRailDay(ms: number): string {
  return new Date(ms + JAKARTA_MS).toISOString().slice(0, 10);
}
