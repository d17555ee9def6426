// How all commands print. With --json, standard output holds JSON and nothing else.
import { once } from 'node:events';
import { clearProgress } from './progress.js';

export const EXIT_PROBLEM = 1;
export const EXIT_WRONG_USAGE = 2;

export interface Format {
  readonly json?: true | undefined;
}

/** Waits while the reader of a pipe is slower than the command. */
export async function write(text: string): Promise<void> {
  clearProgress();
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** One line for each value: its JSON, or its `text`. */
export function print(value: unknown, { json }: Format, text: string): void {
  clearProgress();
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`);
}

/** One JSON array, or one line for each row. */
export function printRows<Row>(
  rows: readonly Row[],
  format: Format,
  describe: (row: Row) => string,
): void {
  if (format.json || rows.length > 0) print(rows, format, rows.map(describe).join('\n'));
}

export function writeDiagnostic(line: string): void {
  clearProgress();
  process.stderr.write(`${line}\n`);
}

/** The command goes on and ends with exit code 1. */
export function markProblem(): void {
  process.exitCode = EXIT_PROBLEM;
}

/** `fetch` hides the reason in the cause. A refused connection to `localhost` has a code and no message. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message === 'fetch failed') return describeError(error.cause);
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}
