// How far a long command is, as one line of standard error. A terminal's line is rewritten, and cleared by the next output and
// at the end. Elsewhere a line is added every ten seconds, so that a log stays readable. A command that ends before the first
// line writes none.
import type { Progress, TellProgress } from '#store/postgres/progress.js';

const REWRITE_MS = 200;
const LOG_MS = 10_000;
const BAR_CHARACTERS = 30;
/** Of a terminal that does not say how wide it is. */
const COLUMNS = 80;
const CLEAR_LINE = '\r\u001b[K';

let isShown = false;

export async function withProgress<Result>(
  work: (tell: TellProgress) => Promise<Result>,
): Promise<Result> {
  let latest: Progress | undefined;
  let written = '';
  const isTerminal = process.stderr.isTTY;
  const timer = setInterval(
    () => {
      if (latest === undefined) return;
      const line = describeProgress(latest);
      if (line === written && (isShown || !isTerminal)) return;
      written = line;
      if (isTerminal) rewriteLine(line);
      else process.stderr.write(`${line}\n`);
    },
    isTerminal ? REWRITE_MS : LOG_MS,
  );
  try {
    return await work((progress) => {
      latest = progress;
    });
  } finally {
    clearInterval(timer);
    clearProgress();
  }
}

/** Before anything else is written: both streams may lead to one terminal. */
export function clearProgress(): void {
  if (!isShown) return;
  isShown = false;
  process.stderr.write(CLEAR_LINE);
}

/** A line that is longer than the terminal is wide could not be cleared. */
function rewriteLine(line: string): void {
  isShown = true;
  const { columns } = process.stderr;
  process.stderr.write(`${CLEAR_LINE}${line.slice(0, (columns > 0 ? columns : COLUMNS) - 1)}`);
}

function describeProgress({ step, done, total, isEstimated = false }: Progress): string {
  if (done === undefined) return step;
  // An estimate may be below what is found.
  if (total === undefined || done > total) return `${step}: ${done}`;
  const filled = total === 0 ? BAR_CHARACTERS : Math.floor((done / total) * BAR_CHARACTERS);
  const bar = '#'.repeat(filled).padEnd(BAR_CHARACTERS, '.');
  return `[${bar}] ${step}: ${done} of ${isEstimated ? 'about ' : ''}${total}`;
}
