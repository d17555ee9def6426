// Invariants of what clients were told. Each answers its violations, in words.
import {
  type Answered,
  codeOf,
  describe,
  type Entry,
  isAnswered,
  isDecided,
  paymentOf,
} from '../load/history.js';
import type { Evidence } from './evidence.js';

/** The fields of a payment that may change; all others stay as created. */
const CHANGING = new Set([
  'status',
  'refunded_amount',
  'refundable_amount',
  'failure_code',
  'late',
  'paid_at',
  'failed_at',
  'cancelled_at',
  'refunded_at',
]);

/** The fields that never change, as one text to compare. */
function immutablePart(body: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.entries(body).filter(([name]) => !CHANGING.has(name)));
}

const isView = ({ operation, result }: Answered): boolean =>
  operation.kind !== 'simulate' && result.status < 300;

/** Groups by what `keyOf` answers; entries without a key are left out. */
export function groupBy<Value>(
  values: readonly Value[],
  keyOf: (value: Value) => string | null | undefined,
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    if (key === null || key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

const keyOf = ({ operation }: Entry): string | null =>
  operation.kind === 'create' ? operation.key : null;

/** Bugs show as 500, whatever happens around the service. */
export function noInternalErrors({ history }: Evidence): string[] {
  return history
    .filter((entry) => isAnswered(entry) && entry.result.status === 500)
    .map((entry) => `internal error: ${describe(entry)}`);
}

/** Every payment that a create was answered with was read at the end, by somebody, and is the same. */
export function answeredCreatesAreReadable({ history }: Evidence): string[] {
  const answered = history.filter(isDecided);
  const reads = answered.filter(({ operation }) => operation.kind === 'get');
  const lastRead = new Map(reads.map((entry) => [paymentOf(entry), entry]));
  return answered.flatMap((entry) => {
    if (entry.operation.kind !== 'create' || entry.result.status >= 300) return [];
    const read = lastRead.get(paymentOf(entry));
    if (read === undefined || read.startMs < entry.endMs) return [`not read: ${describe(entry)}`];
    if (read.result.status !== 200) return [`lost: ${describe(entry)}; then ${describe(read)}`];
    const isSame = immutablePart(read.result.body) === immutablePart(entry.result.body);
    return isSame ? [] : [`changed: ${entry.result.text} became ${read.result.text}`];
  });
}

/** All answers of a key are of one payment and one body, at most one of them 201; others are 409. */
export function keysAreAnsweredOnce({ history }: Evidence): string[] {
  const violations: string[] = [];
  for (const [key, entries] of groupBy(history.filter(isDecided), keyOf)) {
    const taken = entries.filter(({ result }) => result.status < 300);
    const firsts = taken.filter(({ result }) => result.status === 201);
    if (firsts.length > 1) violations.push(`${key}: ${firsts.length} answers 201`);
    const views = new Set(taken.map(({ result }) => immutablePart(result.body)));
    if (views.size > 1) violations.push(`${key}: different bodies ${[...views].join(' and ')}`);
    violations.push(...judgeBodies(key, taken, entries));
  }
  return violations;
}

function judgeBodies(key: string, taken: Answered[], entries: Answered[]): string[] {
  const amounts = new Set(taken.map(({ result }) => String(result.body['amount'])));
  return entries.flatMap((entry) => {
    const { operation, result } = entry;
    if (operation.kind !== 'create') return [];
    if (result.status < 300) {
      const isOwn = result.body['amount'] === operation.amount;
      const isMarked = result.isReplayed === (result.status === 200);
      return isOwn && isMarked ? [] : [`${key}: answered ${result.text} to ${operation.amount}`];
    }
    const isConflict = result.status === 409 && codeOf(result) === 'idempotency_conflict';
    if (!isConflict) return [`${key}: unexpected ${describe(entry)}`];
    return amounts.has(operation.amount) ? [`${key}: 409 for its own body`] : [];
  });
}

/** The same payment in the same status is shown byte for byte the same, whoever asks. */
export function viewsAreEqual({ history }: Evidence): string[] {
  const views = history.filter(isDecided).filter(isView);
  const groups = groupBy(
    views,
    (entry) => `${paymentOf(entry)} ${String(entry.result.body['status'])}`,
  );
  return [...groups].flatMap(([what, entries]) => {
    const texts = new Set(entries.map(({ result }) => result.text));
    return texts.size > 1 ? [`${what} is shown as ${[...texts].join(' and as ')}`] : [];
  });
}
