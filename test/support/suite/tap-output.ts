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

/**
 * Prints each failure with its diagnosis, which the line of a file leaves out, below the name of its file. Returns the files
 * that failed, and the one during which the process ended.
 */
export function printFailures(output: string): string[] {
  const lines = existsSync(output) ? readFileSync(output, 'utf8').split('\n') : [];
  const failed: string[] = [];
  let running: string | null = null;
  let isTold = false;
  for (const line of lines) {
    const [, outcome] = /^\s*((?:not )?ok) /.exec(line) ?? [];
    if (outcome !== undefined) isTold = outcome === 'not ok';
    if (line.startsWith('# Subtest: ')) running = line.slice('# Subtest: '.length);
    if (isTold && running !== null && failed.at(-1) !== running) {
      console.error(`# ${running}`);
      failed.push(running);
    }
    if (isTold) console.error(line);
    if (outcome !== undefined && !line.startsWith(' ')) running = null;
  }
  return running === null || failed.at(-1) === running ? failed : [...failed, running];
}
