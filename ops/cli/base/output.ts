// How all commands print. With --json, standard output holds JSON and nothing else.
import { once } from 'node:events';

export const EXIT_PROBLEM = 1;
export const EXIT_WRONG_USAGE = 2;

const BAR_CHARACTERS = 30;

export interface Format {
  readonly json?: true | undefined;
}

/** Waits while the reader of a pipe is slower than the command. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** One line for each value: its JSON, or its `text`. */
export function print(value: unknown, { json }: Format, text: string): void {
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

/** Overwrites one line of a terminal's standard error. */
export function showProgress(made: number, total: number, isOver: boolean): void {
  if (!process.stderr.isTTY) return;
  const filled = total === 0 ? BAR_CHARACTERS : Math.floor((made / total) * BAR_CHARACTERS);
  const bar = '#'.repeat(Math.min(BAR_CHARACTERS, filled)).padEnd(BAR_CHARACTERS, '.');
  process.stderr.write(`\r[${bar}] ${made} of ${total}${isOver ? '\n' : ''}`);
}
