// Days of filters. A person means days of their own zone; the API takes times.

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function startOfDay(day: string, offsetDays: number): string | undefined {
  if (!DAY.test(day)) return undefined;
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + offsetDays);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

export const readFirstDay = (day: string | undefined): string | undefined =>
  day === undefined ? undefined : startOfDay(day, 0);

/** The end of the day, because the API excludes the time itself. */
export const readLastDay = (day: string | undefined): string | undefined =>
  day === undefined ? undefined : startOfDay(day, 1);

interface DayFilters {
  readonly created_from?: string | undefined;
  readonly created_to?: string | undefined;
}

/** `created_from` and `created_to` of the address, as the API takes them. */
export function readDays({ created_from: from, created_to: to }: DayFilters): DayFilters {
  return { created_from: readFirstDay(from), created_to: readLastDay(to) };
}

/** The day of a date in the zone of the viewer. */
export function writeDay(date: Date): string {
  const pad = (number: number): string => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}
