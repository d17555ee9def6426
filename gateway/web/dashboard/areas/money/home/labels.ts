// Names of hours and days in the time zone of the statistics.
import { formatDayIn, formatHourIn } from '@dashboard/shared/text/format.js';
import type { Language } from '@dashboard/shared/text/language.js';
import type { Statistics } from './figures.js';

/** `14:00`, or `24 Nov`. */
export function labelStart(
  start: string,
  { interval, time_zone: zone }: Pick<Statistics, 'interval' | 'time_zone'>,
  language: Language,
): string {
  return interval === 'hour'
    ? formatHourIn(start, zone, language)
    : formatDayIn(start, zone, language);
}
