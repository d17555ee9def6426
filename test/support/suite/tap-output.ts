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

/** Prints each failure with its diagnosis, which the line of a file leaves out, below the name of its file. Returns these files. */
export function printFailures(output: string): string[] {
  const lines = existsSync(output) ? readFileSync(output, 'utf8').split('\n') : [];
  const failed: string[] = [];
  let running = '';
  let isTold = false;
  for (const line of lines) {
    const [, begun] = /^# Subtest: (.*)/.exec(line) ?? [];
    running = begun ?? running;
    const [, outcome] = /^\s*((?:not )?ok) /.exec(line) ?? [];
    if (begun ?? outcome) isTold = outcome === 'not ok';
    if (!isTold) continue;
    if (failed.at(-1) !== running) {
      failed.push(running);
      console.error(`# ${running}`);
    }
    console.error(line);
  }
  return failed;
}
