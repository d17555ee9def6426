// Amounts and times as customers read them.
import { TIME_ZONE, TIME_ZONE_NAME } from '#actors/core/days.js';
import { formatMoney } from '#actors/core/money.js';

/** `150000` minor units as `Rp 150.000`; one unit is one rupiah. */
export const formatRupiah = (amount: string): string => formatMoney(amount, 'IDR');

/** `21 November 2026 pukul 15.10 WIB`. */
export function formatDeadline(ms: number, locale: string): string {
  const text = new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: TIME_ZONE,
  }).format(ms);
  return `${text} ${TIME_ZONE_NAME}`;
}

/** `23:59:08`, or `14:59` below an hour. */
export function formatTimeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  const hours = Math.floor(seconds / 3600);
  if (hours > 0) parts.unshift(hours);
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

const UNGROUPED_DIGITS = 8;

/** A long number in groups of four, to be typed from a screen. */
export function groupDigits(digits: string): readonly string[] {
  if (digits.length <= UNGROUPED_DIGITS) return [digits];
  return digits.match(/\d{1,4}/g) ?? [];
}
