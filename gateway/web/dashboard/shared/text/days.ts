// Days of fields and filters, as times of the API. They are days in Jakarta wherever the browser is, as on the pages and in the
// mails that customers get. A text that is no day is sent as it is, so that the API refuses it: a filter that is shown is applied.
import { type Day, findDay, parseDay } from '@core/days.js';

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
