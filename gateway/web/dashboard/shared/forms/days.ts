// Days and times of form fields, in the zone of the person, as the API's times.

/** The end of a day that a date field holds, such as `2026-12-31`. */
export const readDayEnd = (day: string): string | null =>
  day === '' ? null : new Date(`${day}T23:59:59.999`).toISOString();

/** The day of a time, for a date field. */
export function writeDay(iso: string | null): string {
  if (iso === null) return '';
  const at = new Date(iso);
  const pad = (part: number): string => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
}

/** An empty text becomes null, which clears a field of the API. */
export const readText = (text: string): string | null => (text.trim() === '' ? null : text.trim());
