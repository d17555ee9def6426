// Status inquiries in the model of Postgres: what store/postgres/rails/inquiries.ts does.
import type {
  ClaimedInquiry,
  InquiryClaim,
  RecordedInquiry,
  SentCall,
} from '#store/postgres/rails/inquiries.js';
import type { CallRow, DatedTables, WatchRow } from './tables.js';

const MAX_REPORTED = 20;

type Recorded = RecordedInquiry & { readonly watch: WatchRow };

export function claimInquiries(
  server: DatedTables,
  { rail, limit, leaseMs, givenUpMs }: Omit<InquiryClaim, 'turns'>,
): ClaimedInquiry[] {
  const { tables, nowMs } = server;
  const due = tables.railWatches
    .values()
    .filter((row) => row.rail === rail && row.lookAtMs !== null && row.lookAtMs <= nowMs)
    .filter(({ leasedUntilMs }) => leasedUntilMs === null || leasedUntilMs <= nowMs)
    .sort((one, other) => (one.lookAtMs ?? 0) - (other.lookAtMs ?? 0))
    .slice(0, limit);
  return due.flatMap((row) => {
    const number = row.number + 1;
    const untilMs = nowMs + leaseMs;
    const leased = { inquiredAtMs: nowMs, leasedUntilMs: untilMs, lookAtMs: untilMs };
    tables.railWatches.set(row.id, { ...row, number, ...leased });
    const payment = tables.payments.get(row.paymentId);
    if (payment === undefined) return [];
    const calls = listSentCalls(server, row, givenUpMs);
    return [{ ...describeWatch(server, row), number, snapshot: payment.snapshot, calls }];
  });
}

function describeWatch({ tables }: DatedTables, row: WatchRow) {
  const { id, kind, step, reference, callbacks, unconfirmed, fastStep, closes } = row;
  const isAbsent = row.absences > 0 && row.absentSinceMs !== null;
  const closing = row.closeId === null ? undefined : tables.railCalls.get(row.closeId);
  return {
    ...{ id, kind, step, reference, callbacks, unconfirmed, fastStep, closes },
    absence: isAbsent ? { count: row.absences, sinceMs: row.absentSinceMs } : null,
    isCloseDue: closing?.state === 'due',
    inquireUntilMs: row.watchUntilMs,
    reported: listReported(tables.railCallbacks.values(), row),
  };
}

function listSentCalls(
  { tables, nowMs }: DatedTables,
  row: WatchRow,
  givenUpMs: number,
): SentCall[] {
  const isShown = ({ id, state, paymentId }: CallRow): boolean =>
    (state === 'sent' && paymentId === row.paymentId) ||
    (state === 'answered' && row.kind === 'refund' && id === row.id);
  return tables.railCalls
    .values()
    .filter(isShown)
    .map(({ id, request, state, unknownAtMs, sentAtMs }) => {
      const isLate = sentAtMs !== null && sentAtMs < nowMs - givenUpMs;
      const isGivenUp = unknownAtMs !== null || isLate;
      return { id, request, isAnswered: state === 'answered', isGivenUp };
    });
}

function listReported(
  callbacks: ReturnType<DatedTables['tables']['railCallbacks']['values']>,
  { id, rail }: WatchRow,
) {
  const found = new Map<string, { amount: string; currency: string }>();
  for (const { rail: from, subject, amount, currency } of callbacks) {
    if (from !== rail || subject?.kind !== 'order' || subject.id !== id) continue;
    if (amount !== null && currency !== null) {
      found.set(`${amount} ${currency}`, { amount, currency });
    }
  }
  return [...found.values()]
    .sort((one, other) => Number(one.amount) - Number(other.amount))
    .slice(0, MAX_REPORTED);
}

export function recordInquiries(
  server: DatedTables,
  results: readonly RecordedInquiry[],
): boolean[] {
  return results.map((result) => {
    const watch = server.tables.railWatches.get(result.inquiry.id);
    if (watch?.number !== result.inquiry.number) return false;
    record(server, { ...result, watch });
    return true;
  });
}

function record(server: DatedTables, result: Recorded): void {
  scheduleNext(server, result);
  const answered = answerCalls(server, result);
  repeatClose(server, result, answered);
  const { tables, nowMs } = server;
  const { inquiry, paymentId, commands, tasks } = result;
  for (const [place, command] of commands.entries()) {
    const id = `${inquiry.id}#${inquiry.number}.${place}`;
    if (tables.railFacts.has(id)) continue;
    tables.railFacts.set(id, { id, paymentId, command, storedAtMs: nowMs });
  }
  for (const task of tasks) {
    if (!tables.tasks.has(task.id))
      tables.tasks.set(task.id, { ...task, paymentId, status: 'open' });
  }
}

function scheduleNext(
  { tables, nowMs }: DatedTables,
  { watch, inquiry, next, ...result }: Recorded,
) {
  const { absence, close } = result;
  const isReported = watch.callbacks > inquiry.callbacks;
  const isExpedited =
    watch.lookAtMs !== null && watch.leasedUntilMs !== null && watch.lookAtMs < watch.leasedUntilMs;
  const nextAtMs = next === null ? null : nowMs + next.inMs;
  tables.railWatches.set(watch.id, {
    ...watch,
    leasedUntilMs: null,
    step: next?.step ?? 0,
    watchUntilMs: next?.inquireUntilMs ?? watch.watchUntilMs,
    lookAtMs: isExpedited || isReported ? watch.lookAtMs : nextAtMs,
    unconfirmed: isReported ? watch.unconfirmed : (next?.fast?.unconfirmed ?? []),
    fastStep: isReported ? watch.fastStep : (next?.fast?.step ?? 0),
    absences: absence?.count ?? 0,
    absentSinceMs: absence?.sinceMs ?? null,
    closes: watch.closes + (close === null ? 0 : 1),
    closeId: close?.id ?? watch.closeId,
  });
}

/** The answer to a charge resolves the task that waited for it. */
function answerCalls({ tables }: DatedTables, { answeredCalls }: Recorded): Set<string> {
  const answered = new Set<string>();
  for (const id of answeredCalls) {
    const row = tables.railCalls.get(id);
    if (row?.state !== 'sent') continue;
    answered.add(id);
    tables.railCalls.set(id, { ...row, state: 'answered' });
    const { orderId } = JSON.parse(row.request) as { orderId?: string };
    for (const task of tables.tasks.values()) {
      const isWaiting = task.kind === 'attempt_unresolved' && task.status === 'open';
      if (!isWaiting || task.paymentId !== row.paymentId) continue;
      const details = JSON.parse(task.details) as { orderId?: string };
      if (details.orderId === orderId) tables.tasks.set(task.id, { ...task, status: 'resolved' });
    }
  }
  return answered;
}

function repeatClose(
  { tables, nowMs }: DatedTables,
  { close, watch, paymentId }: Recorded,
  answered: ReadonlySet<string>,
): void {
  if (close === null || tables.railCalls.has(close.id)) return;
  if (close.onlyWithout !== null && !answered.has(close.onlyWithout)) return;
  const { id, rail, request, inMs } = close;
  const times = { dueAtMs: nowMs + inMs, requestedAtMs: nowMs, commandedAtMs: nowMs };
  const none = { sentAtMs: null, begunAtMs: null, unknownAtMs: null };
  tables.railCalls.set(id, {
    ...{ id, rail, request, paymentId, merchantId: watch.merchantId },
    ...{ operation: 'close', state: 'due', ...times, ...none },
  });
}
