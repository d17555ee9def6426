// Compares the times of two requests. They are sent in turns, so that other load on the machine slows both.
import type { ApiAnswer } from '../api.js';

type Send = () => Promise<ApiAnswer>;

/** The time of the first divided by that of the second, by the fastest answers: noise only adds time. */
export async function compareTimes(first: Send, second: Send, turns: number): Promise<number> {
  const [ones, others]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn += 1) {
    ones.push((await first()).elapsedMs);
    others.push((await second()).elapsedMs);
  }
  return Math.min(...ones) / Math.min(...others);
}

/** The ratio is at most `bound`, in both directions. */
export const isNear = (ratio: number, bound: number): boolean => ratio < bound && ratio > 1 / bound;

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
