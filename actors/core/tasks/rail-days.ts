// Days by which rails close their books: days in Jakarta.
import { type Day, DAY_MS, findDay } from '../days.js';

export type RailDay = Day;

/** The last day that was over at that time. */
export function findLastRailDay(nowMs: number): string {
  return findDay(nowMs - DAY_MS);
}
