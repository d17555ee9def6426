// The HTTP history of each payment is linearizable. A TEST payment is a small object: it does not exist,
// is created once, is pending, and ends once in one way. So its history can be told as one line exactly if
//
//   - everybody who saw an end saw the same end,
//   - there is a moment of creation: after the start of some create, after the start of every request
//     that was told "not found", and before the end of every request that saw the payment;
//   - there is a moment of the end: after the creation, after the start of a request that asked for
//     that end, after the start of every request that saw it pending, and before the end of every
//     request that saw the end.
//
// Requests without a decided answer may have taken effect at any later time, or never.
import { type Answered, describe, type Entry, isDecided, paymentOf } from '../load/history.js';
import type { Evidence } from './evidence.js';
import { groupBy } from './of-answers.js';

interface Lifetime {
  readonly id: string;
  readonly sent: readonly Entry[];
  readonly answered: readonly Answered[];
}

export function historiesAreLinearizable({ history }: Evidence): string[] {
  const answered = groupBy(history.filter(isDecided), paymentOf);
  const idsByReference = new Map<string, string>();
  for (const [id, entries] of answered) {
    for (const { operation } of entries) {
      if (operation.kind === 'create') idsByReference.set(operation.reference, id);
    }
  }
  const sent = groupBy(history, ({ operation }) =>
    operation.kind === 'create' ? idsByReference.get(operation.reference) : operation.paymentId,
  );
  return [...answered].flatMap(([id, entries]) =>
    judge({ id, sent: sent.get(id) ?? [], answered: entries }),
  );
}

/** Read your writes: who was told of a payment, or of its end, is never shown less afterwards. */
export function writesAreRead({ history }: Evidence): string[] {
  return [...groupBy(history.filter(isDecided), paymentOf)].flatMap(([id, entries]) => {
    const told = entries.filter((entry) => entry.operation.kind !== 'get');
    const reads = entries.filter((entry) => entry.operation.kind === 'get');
    return reads.flatMap((read) => {
      const known = told.filter(({ endMs }) => endMs < read.startMs);
      const isShort = known.some((entry) => rankOf(entry) > rankOf(read));
      return isShort ? [`${id}: told and not read: ${describe(read)} ${read.result.text}`] : [];
    });
  });
}

/** 0 not there, 1 pending, 2 ended. */
function rankOf(entry: Answered): number {
  const seen = seenBy(entry);
  if (seen === 'absent') return 0;
  return seen === 'pending' ? 1 : 2;
}

/** The state that the answer shows: absent, pending, a final status, or any final status. */
function seenBy(entry: Answered): string {
  const { operation, result } = entry;
  if (result.status === 404) return 'absent';
  if (result.status === 409) return 'ended';
  return operation.kind === 'create' && result.status === 201
    ? 'pending'
    : String(result.body['status']);
}

function judge(lifetime: Lifetime): string[] {
  const { id, answered } = lifetime;
  const violations: string[] = [];
  const ends = new Set(
    answered.map(seenBy).filter((seen) => ['paid', 'failed', 'cancelled'].includes(seen)),
  );
  if (ends.size > 1) violations.push(`${id} ended more than once: ${[...ends].join(', ')}`);
  const creation = judgeCreation(lifetime);
  const [end] = ends;
  const problem = creation.problem ?? judgeEnd(lifetime, creation.earliestMs, end);
  if (problem !== undefined) violations.push(problem);
  return violations;
}

function judgeCreation({ id, sent, answered }: Lifetime): {
  earliestMs: number;
  problem?: string;
} {
  const creates = sent.filter(({ operation }) => operation.kind === 'create');
  const absents = answered.filter((entry) => seenBy(entry) === 'absent');
  const earliestMs = Math.max(first(creates, 'startMs'), last(absents, 'startMs'));
  const seen = answered.filter((entry) => seenBy(entry) !== 'absent');
  if (earliestMs <= first(seen, 'endMs')) return { earliestMs };
  return { earliestMs, problem: `${id} was seen, and later not there: ${tell(answered)}` };
}

function judgeEnd(
  { id, sent, answered }: Lifetime,
  createdMs: number,
  end: string | undefined,
): string | undefined {
  const ended = answered.filter((entry) => rankOf(entry) === 2);
  if (ended.length === 0) return undefined;
  const pending = answered.filter((entry) => seenBy(entry) === 'pending');
  const asked = sent.filter(({ operation }) => asksFor(operation, end));
  const earliestMs = Math.max(createdMs, first(asked, 'startMs'), last(pending, 'startMs'));
  if (earliestMs <= first(ended, 'endMs')) return undefined;
  return `${id} went back, or ended unasked: ${tell(answered)}`;
}

function asksFor(operation: Entry['operation'], end: string | undefined): boolean {
  if (operation.kind === 'cancel') return end === undefined || end === 'cancelled';
  return operation.kind === 'simulate' && (end === undefined || operation.outcome === end);
}

function first(entries: readonly Entry[], field: 'startMs' | 'endMs'): number {
  return Math.min(...entries.map((entry) => entry[field]));
}

function last(entries: readonly Entry[], field: 'startMs' | 'endMs'): number {
  return Math.max(-Infinity, ...entries.map((entry) => entry[field]));
}

function tell(answered: readonly Answered[]): string {
  return answered.map((entry) => `${describe(entry)} ${seenBy(entry)}`).join('; ');
}
