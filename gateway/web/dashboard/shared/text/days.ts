// Days of fields and filters, as times of the API. They are days in Jakarta wherever the browser is, as on the pages and in the
// mails that customers get. A text that is no day is sent as it is, so that the API refuses it: a filter that is shown is applied.
import { DAY_MS, type Day, findDay, parseDay } from '@core/days.js';

const writeTime = (ms: number): string => new Date(ms).toISOString();

function readDay(text: string | undefined, choose: (day: Day) => number): string | undefined {
  const day = text === undefined ? undefined : parseDay(text);
  return day === undefined ? text : writeTime(choose(day));
}

export const readFirstDay = (day: string | undefined): string | undefined =>
  readDay(day, ({ fromMs }) => fromMs);

/** The end of the day, because the API excludes the time itself. */
export const readLastDay = (day: string | undefined): string | undefined =>
  readDay(day, ({ toMs }) => toMs);

interface DayFilters {
  readonly created_from?: string | undefined;
  readonly created_to?: string | undefined;
}

/** `created_from` and `created_to` of the address, as the API takes them. */
export function readDays({ created_from: from, created_to: to }: DayFilters): DayFilters {
  return { created_from: readFirstDay(from), created_to: readLastDay(to) };
}

/** The day of a time of the API, for a date field. */
export const writeDay = (time: string | null): string =>
  time === null ? '' : findDay(Date.parse(time));

/** The last moment of the day in a date field. `former` stays if it is on that day; an empty field clears it. */
export function readDayEnd(day: string, former: string | null): string | null {
  if (day === '') return null;
  if (day === writeDay(former)) return former;
  return readDay(day, ({ toMs }) => toMs - 1) ?? null;
}

/** Whether a date field holds a day, or nothing. */
export const isDay = (text: string): boolean => text === '' || parseDay(text) !== undefined;

const LOCALES = ['id-ID', 'en-GB'];
const MONTHS = Array.from({ length: 12 }, (_, month) =>
  LOCALES.map((locale) =>
    new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' })
      .format(Date.UTC(2026, month))
      .toLowerCase(),
  ),
);
const MIN_MONTH_CHARACTERS = 3;
const WRITTEN = /^(\d{1,2})[\s./-]+(\d{1,2}|[a-z]+)\.?,?[\s./-]+(\d{4})$/;

/** The day that a person wrote: `24/11/2026`, `24-11-2026`, `24 Nov 2026`, `4 Desember 2026`, `2026-11-24`. undefined: it is none. */
export function readWrittenDay(text: string): string | undefined {
  const trimmed = text.trim().toLowerCase();
  if (parseDay(trimmed) !== undefined) return trimmed;
  const [, day = '', month = '', year = ''] = WRITTEN.exec(trimmed) ?? [];
  const number = /^\d/.test(month) ? month : String(findMonth(month));
  return parseDay(`${year}-${number.padStart(2, '0')}-${day.padStart(2, '0')}`)?.day;
}

/** 0: no month has this name, in Indonesian or English, or this beginning of it. */
const findMonth = (name: string): number =>
  name.length < MIN_MONTH_CHARACTERS
    ? 0
    : MONTHS.findIndex((names) => names.some((each) => each.startsWith(name))) + 1;

export const PERIODS = ['today', 'yesterday', 'week', 'days30', 'month', 'lastMonth'] as const;
export type Period = (typeof PERIODS)[number];

/** The first and the last day of a period, in Jakarta. */
export function findPeriod(period: Period, nowMs: number): readonly [string, string] {
  const daysAgo = (days: number): string => findDay(nowMs - days * DAY_MS);
  const first = `${daysAgo(0).slice(0, 'yyyy-mm'.length)}-01`;
  switch (period) {
    case 'today':
      return [daysAgo(0), daysAgo(0)];
    case 'yesterday':
      return [daysAgo(1), daysAgo(1)];
    case 'week':
      return [daysAgo(6), daysAgo(0)];
    case 'days30':
      return [daysAgo(29), daysAgo(0)];
    case 'month':
      return [first, daysAgo(0)];
    case 'lastMonth': {
      const last = findDay((parseDay(first)?.fromMs ?? nowMs) - 1);
      return [`${last.slice(0, 'yyyy-mm'.length)}-01`, last];
    }
  }
}
