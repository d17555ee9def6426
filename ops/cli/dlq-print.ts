// Text and outcomes of dead letters.
import { explainFailure } from '#actors/core/webhooks/failures.js';
import type { DeadLetterCount } from '#store/postgres/webhooks/dead-letters/list-dead-letters.js';
import type {
  Attempt,
  Delivery,
  DeliveryDetails,
} from '#store/postgres/webhooks/list-deliveries.js';
import { type Format, markProblem, printRows } from './base/output.js';

const EXCERPT_CHARACTERS = 200;
const NAME_CHARACTERS = 14;
const NOT_DEAD = 'no dead letter';

const formatValue = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : String(value);

export function describeLetter(letter: Delivery): string {
  const { id, settledAt, environment, type, attempts, reason, url } = letter;
  return `${id}  ${formatValue(settledAt)}  ${environment}  ${type}  ${attempts} attempts  ${reason}  ${url}`;
}

export function describeCount(counted: DeadLetterCount): string {
  const { count, type, reason, endpointId, active, url, oldest, newest } = counted;
  const state = active ? '' : '  (inactive)';
  const times = `${formatValue(oldest)} … ${formatValue(newest)}`;
  return `${String(count).padStart(8)}  ${type}  ${reason}  ${endpointId}${state}  ${url}  ${times}`;
}

export function describeDelivery({ attemptsMade, ...delivery }: DeliveryDetails): string {
  const { reason } = delivery;
  const fields = { ...delivery, meaning: reason === null ? null : explainFailure(reason) };
  return [
    ...Object.entries(fields)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name.padEnd(NAME_CHARACTERS)} ${formatValue(value)}`),
    ...attemptsMade.map(describeAttempt),
  ].join('\n');
}

function describeAttempt(made: Attempt): string {
  const { attempt, at, durationMs, statusCode, failure, error, excerpt } = made;
  const outcome = `${statusCode ?? '–'} ${failure ?? 'delivered'} ${error ?? ''}`.trim();
  const line = `attempt ${attempt}  ${formatValue(at)}  ${durationMs} ms  ${outcome}`;
  return excerpt ? `${line}\n  ${JSON.stringify(excerpt.slice(0, EXCERPT_CHARACTERS))}` : line;
}

/** One row for each of `ids`; an id without an outcome, or of an inactive endpoint, is a problem. */
export function printOutcomes(
  ids: readonly string[],
  outcomes: ReadonlyMap<string, string>,
  format: Format,
): void {
  const rows = ids.map((id) => ({ id, outcome: outcomes.get(id) ?? NOT_DEAD }));
  printRows(rows, format, ({ id, outcome }) => `${id}  ${outcome}`);
  if (rows.some(({ outcome }) => outcome === NOT_DEAD || outcome === 'inactive')) markProblem();
}
