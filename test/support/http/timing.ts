// Whether two questions take equally long. They are asked in turns, so that whatever else the machine does slows both.
import type { ApiAnswer } from '../api.js';

type Ask = () => Promise<ApiAnswer>;

/** How many times as long the first one takes, by the fastest answers: noise only ever adds. */
export async function compareTimes(first: Ask, second: Ask, turns: number): Promise<number> {
  const [ones, others]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn += 1) {
    ones.push((await first()).elapsedMs);
    others.push((await second()).elapsedMs);
  }
  return Math.min(...ones) / Math.min(...others);
}

/** `bound` times as long or as short, at most. */
export const isNear = (ratio: number, bound: number): boolean => ratio < bound && ratio > 1 / bound;

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
