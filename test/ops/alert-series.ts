// The form of a case of an alert (alert-cases.ts): series that stay at their first value for ten minutes, then the
// event, and the same series when nothing is wrong. Values are in the notation of promtool, one for every 15 s:
// `1+1x8` counts from 1 to 9, `1x8` stays at 1 for two minutes.

/** The value until minute 10, and the values that follow. */
type Timeline = readonly [before: number, after: string];
export type Series = Readonly<Record<string, Timeline>>;

export interface AlertCase {
  readonly fires: Series;
  /** Minutes since the start; the event is at minute 10. */
  readonly firesAtMin: number;
  readonly silent: Series;
}

/** A title is the name of its alert; words that tell cases of one alert apart follow a comma. */
export const readAlert = (title: string): string => title.split(',')[0] ?? '';

/** A histogram of two buckets, whose observations are all above the first one. */
export const observe = (
  name: string,
  [low, high]: readonly [string, string],
  after: string,
): Series => ({
  [`${name}_bucket{le="${low}"}`]: [0, '0x200'],
  [`${name}_bucket{le="${high}"}`]: [0, after],
  [`${name}_bucket{le="+Inf"}`]: [0, after],
});

export const single = (
  name: string,
  [before, after]: Timeline,
  firesAtMin: number,
  silent: string,
): AlertCase => ({
  fires: { [name]: [before, after] },
  firesAtMin,
  silent: { [name]: [before, silent] },
});
