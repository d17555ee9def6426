// Numbers, money and times as people read them. Money comes as digits in minor units and never becomes a float.
import { parseDay, TIME_ZONE, TIME_ZONE_NAME } from '@core/days.js';
import type { Language } from './language.js';

const LOCALES = { id: 'id-ID', en: 'en-GB' } as const satisfies Record<Language, string>;
/** Decimals of each currency that the API takes (actors/core/money.ts). */
const DECIMALS: Readonly<Record<string, number>> = { IDR: 0 };
const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** `Rp 150.000` from `150000`. A text that is not digits is shown as it is. */
export function formatMoney(minor: string, currency: string, language: Language): string {
  if (!/^-?\d+$/.test(minor)) return `${currency} ${minor}`;
  const decimals = DECIMALS[currency] ?? 2;
  const value = BigInt(minor);
  const isNegative = value < 0n;
  const digits = (isNegative ? -value : value).toString().padStart(decimals + 1, '0');
  const whole = BigInt(digits.slice(0, digits.length - decimals));
  const format = new Intl.NumberFormat(LOCALES[language], {
    ...{ style: 'currency', currency, currencyDisplay: 'narrowSymbol' },
    ...{ minimumFractionDigits: decimals, maximumFractionDigits: decimals },
  });
  const fraction = digits.slice(digits.length - decimals);
  const text = format
    .formatToParts(whole)
    .map(({ type, value: part }) => (type === 'fraction' ? fraction : part))
    .join('');
  return isNegative ? `−${text}` : text;
}

/** `Rp` for IDR. */
export function findCurrencySymbol(currency: string, language: Language): string {
  const options = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const;
  const parts = new Intl.NumberFormat(LOCALES[language], options).formatToParts(0);
  return parts.find(({ type }) => type === 'currency')?.value ?? currency;
}

export function formatCount(count: number | bigint, language: Language): string {
  return new Intl.NumberFormat(LOCALES[language]).format(count);
}

export function formatPercent(share: number, language: Language): string {
  const options = { style: 'percent', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(LOCALES[language], options).format(share);
}

/** `24 Nov 2026, 10:15 WIB` */
export function formatTime(iso: string, language: Language): string {
  const options = { dateStyle: 'medium', timeStyle: 'short', timeZone: TIME_ZONE } as const;
  const text = new Intl.DateTimeFormat(LOCALES[language], options).format(new Date(iso));
  return `${text} ${TIME_ZONE_NAME}`;
}

/** With seconds and the offset of the zone. */
export function formatExactTime(iso: string, language: Language): string {
  const options = { dateStyle: 'full', timeStyle: 'long', timeZone: TIME_ZONE } as const;
  return new Intl.DateTimeFormat(LOCALES[language], options).format(new Date(iso));
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

/** `5 minutes ago`, `in 2 days`. */
export function formatRelative(iso: string, nowMs: number, language: Language): string {
  const seconds = Math.round((Date.parse(iso) - nowMs) / 1_000);
  const format = new Intl.RelativeTimeFormat(LOCALES[language], { numeric: 'auto' });
  const size = Math.abs(seconds);
  if (size < MINUTE_S) return format.format(seconds, 'second');
  if (size < HOUR_S) return format.format(Math.round(seconds / MINUTE_S), 'minute');
  if (size < DAY_S) return format.format(Math.round(seconds / HOUR_S), 'hour');
  return format.format(Math.round(seconds / DAY_S), 'day');
}
