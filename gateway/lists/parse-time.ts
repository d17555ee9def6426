// A time in a query: ISO 8601 with an offset, or a day, which begins at midnight UTC.
const TIME = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Milliseconds; undefined: no such time. */
export function parseTime(text: string): number | undefined {
  const day = TIME.exec(text)?.[1];
  if (day === undefined) return undefined;
  const ms = Date.parse(text);
  return isDay(day) && !Number.isNaN(ms) ? ms : undefined;
}

/** Date.parse takes the 31st of February for a day of March. */
function isDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}
