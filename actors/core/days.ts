// Days in Jakarta: of invoices, payment links, statements, files and the dashboard, and of rails, which close their books by
// them. One zone for all keeps a day the same for the merchant, its customers and its rails. It has no daylight saving time.
// Written in TypeScript that browsers run too: the dashboard imports this file.
export const TIME_ZONE = 'Asia/Jakarta';
export const TIME_ZONE_NAME = 'WIB';

const OFFSET = '+07:00';
const OFFSET_MS = 7 * 3_600_000;
export const DAY_MS = 24 * 3_600_000;
/** Postgres has no year 0. */
const DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/;
const DAY_CHARACTERS = 10;

export interface Day {
  /** `2026-08-02` */
  readonly day: string;
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

/** undefined: there is no such day, or its year has not four digits. */
export function parseDay(text: string): Day | undefined {
  const fromMs = DAY.test(text) ? Date.parse(`${text}T00:00:00${OFFSET}`) : Number.NaN;
  if (Number.isNaN(fromMs) || findDay(fromMs) !== text) return undefined;
  return { day: text, fromMs, toMs: fromMs + DAY_MS };
}

/** The day of a time: `2026-08-02`. */
export function findDay(ms: number): string {
  return new Date(ms + OFFSET_MS).toISOString().slice(0, DAY_CHARACTERS);
}
