// How dead letters look on a terminal, and as JSON lines.
import { explainFailure } from '#actors/core/webhooks/failures.js';
import type { DeadLetterCount } from '#store/postgres/webhooks/dead-letters/list-dead-letters.js';
import type { Delivery, DeliveryDetails } from '#store/postgres/webhooks/list-deliveries.js';

const EXCERPT_CHARACTERS = 200;
const BAR_CHARACTERS = 30;

export const print = (line: string): void => void process.stdout.write(`${line}\n`);
export const printJson = (value: unknown): void => {
  print(JSON.stringify(value));
};

const shown = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : String(value);

export function describeLetter(letter: Delivery): string {
  const { id, settledAt, environment, type, attempts, reason, url } = letter;
  return `${id}  ${shown(settledAt)}  ${environment}  ${type}  ${attempts} attempts  ${reason}  ${url}`;
}

export function describeCount(counted: DeadLetterCount): string {
  const { count, type, reason, endpointId, active, url, oldest, newest } = counted;
  const state = active ? '' : '  (inactive)';
  const times = `${shown(oldest)} … ${shown(newest)}`;
  return `${String(count).padStart(8)}  ${type}  ${reason}  ${endpointId}${state}  ${url}  ${times}`;
}

export function printDelivery({ attemptsMade, ...delivery }: DeliveryDetails): void {
  for (const [name, value] of Object.entries(delivery)) {
    if (value !== null) print(`${name.padEnd(14)} ${shown(value)}`);
  }
  if (delivery.reason !== null) print(`${'meaning'.padEnd(14)} ${explainFailure(delivery.reason)}`);
  for (const { attempt, at, durationMs, statusCode, failure, error, excerpt } of attemptsMade) {
    const outcome = `${statusCode ?? '–'} ${failure ?? 'delivered'} ${error ?? ''}`.trim();
    print(`attempt ${attempt}  ${shown(at)}  ${durationMs} ms  ${outcome}`);
    if (excerpt) print(`  ${JSON.stringify(excerpt.slice(0, EXCERPT_CHARACTERS))}`);
  }
}

/** On the error output, so that what is piped on stays clean; a line that is overwritten, on a terminal only. */
export function showProgress(made: number, total: number, isOver: boolean): void {
  if (!process.stderr.isTTY) return;
  const filled = total === 0 ? BAR_CHARACTERS : Math.floor((made / total) * BAR_CHARACTERS);
  const bar = '#'.repeat(Math.min(BAR_CHARACTERS, filled)).padEnd(BAR_CHARACTERS, '.');
  process.stderr.write(`\r[${bar}] ${made} of ${total}${isOver ? '\n' : ''}`);
}
