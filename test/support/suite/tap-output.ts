// Reads what a TAP program printed: its sum, and the files that failed with their diagnoses.
import { existsSync, readFileSync } from 'node:fs';

/** Assertions. */
export interface Score {
  readonly passed: number;
  readonly failed: number;
}

/** The sum that tap writes at the end of its output. */
export function readScore(file: string): Score {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const sum = /^# \{ total: (\d+)(.*)\}$/gm;
  const last = [...text.matchAll(sum)].at(-1);
  const sums = last?.[2] ?? '';
  const numberOf = (name: string): number =>
    Number(new RegExp(`${name}: (\\d+)`).exec(sums)?.[1] ?? 0);
  const total = Number(last?.[1] ?? 0);
  const failed = numberOf('fail');
  // tap leaves `pass` out when all of them did.
  const passed = sums.includes('pass')
    ? numberOf('pass')
    : total - failed - numberOf('skip') - numberOf('todo');
  return { passed, failed };
}

/** Prints each failure with its diagnosis, which the line of a file leaves out. Returns the files that failed. */
export function printFailures(file: string): string[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  let isTold = false;
  for (const line of lines) {
    if (/^\s*(not )?ok /.test(line)) isTold = /^\s*not ok /.test(line);
    if (isTold || /^# Subtest: /.test(line)) console.error(line);
  }
  return lines.flatMap((line) => /^not ok \d+ - (.*)$/.exec(line)?.[1] ?? []);
}
