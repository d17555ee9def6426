// Numbers and times as people read them. Amounts look the same in every language: `formatMoney` (actors/core/money.ts).
import { DAY_MS, findDay, parseDay, TIME_ZONE, TIME_ZONE_NAME } from '@core/days.js';
import type { Language } from './language.js';

const LOCALES = { id: 'id-ID', en: 'en-GB' } as const satisfies Record<Language, string>;
const SECOND_MS = 1_000;
const MINUTE_S = 60;
const HOUR_MINUTES = 60;
const DAY_HOURS = 24;

export function formatCount(count: number | bigint, language: Language): string {
  return new Intl.NumberFormat(LOCALES[language]).format(count);
}

export function formatPercent(share: number, language: Language): string {
  const options = { style: 'percent', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(LOCALES[language], options).format(share);
}

/** A time never stands without its zone on a line. */
const addZone = (time: string): string => `${time}\u00a0${TIME_ZONE_NAME}`;

/** `24 Nov 2026, 10:15 WIB`, or `24 Nov 2026, 10:15:30 WIB`. */
export function formatTime(iso: string, language: Language, hasSeconds = false): string {
  const timeStyle = hasSeconds ? 'medium' : 'short';
  const options = { dateStyle: 'medium', timeStyle, timeZone: TIME_ZONE } as const;
  return addZone(new Intl.DateTimeFormat(LOCALES[language], options).format(new Date(iso)));
}

/** With seconds: `Tuesday, 24 November 2026 at 10:15:30 WIB`. English browsers would call the zone `GMT+7`. */
export function formatExactTime(iso: string, language: Language): string {
  const options = { dateStyle: 'full', timeStyle: 'medium', timeZone: TIME_ZONE } as const;
  return addZone(new Intl.DateTimeFormat(LOCALES[language], options).format(new Date(iso)));
}

/** `24 Nov 2026` from `2026-11-24`. A text that is no day is shown as it is. */
export function formatDay(text: string, language: Language): string {
  const day = parseDay(text);
  if (day === undefined) return text;
  const options = { dateStyle: 'medium', timeZone: TIME_ZONE } as const;
  return new Intl.DateTimeFormat(LOCALES[language], options).format(day.fromMs);
}

/** `24 Nov` in a time zone. */
export function formatDayIn(iso: string, timeZone: string, language: Language): string {
  const options = { day: 'numeric', month: 'short', timeZone } as const;
  return new Intl.DateTimeFormat(LOCALES[language], options).format(new Date(iso));
}

/** `14:00` in a time zone. */
export function formatHourIn(iso: string, timeZone: string, language: Language): string {
  const options = { hour: '2-digit', minute: '2-digit', timeZone } as const;
  return new Intl.DateTimeFormat(LOCALES[language], options).format(new Date(iso));
}

/**
 * `5 minutes ago`, `in 2 days`. A number is rounded before its unit is chosen, so that no hour has 60 minutes. Days are days of
 * the calendar in Jakarta: yesterday is the day before today, however many hours ago it was.
 */
export function formatRelative(iso: string, nowMs: number, language: Language): string {
  const atMs = Date.parse(iso);
  const format = new Intl.RelativeTimeFormat(LOCALES[language], { numeric: 'auto' });
  const seconds = Math.round((atMs - nowMs) / SECOND_MS);
  if (Math.abs(seconds) < MINUTE_S) return format.format(seconds, 'second');
  const minutes = Math.round(seconds / MINUTE_S);
  if (Math.abs(minutes) < HOUR_MINUTES) return format.format(minutes, 'minute');
  const hours = Math.round(minutes / HOUR_MINUTES);
  const days = Math.round((findMidnight(atMs) - findMidnight(nowMs)) / DAY_MS);
  // 23 hours and 40 minutes within one day.
  if (days === 0) return format.format(Math.trunc(minutes / HOUR_MINUTES), 'hour');
  return Math.abs(hours) < DAY_HOURS ? format.format(hours, 'hour') : format.format(days, 'day');
}

/** In UTC, of the day in Jakarta. */
const findMidnight = (ms: number): number => Date.parse(findDay(ms));
