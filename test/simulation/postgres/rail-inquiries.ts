// Status inquiries in the model of Postgres: what store/postgres/rails/inquiries.ts does.
import type {
  ClaimedInquiry,
  InquiryClaim,
  RecordedInquiry,
  SentCall,
} from '#store/postgres/rails/inquiries.js';
import type { CallRow, DatedTables, InquiryRow } from './tables.js';

const MAX_REPORTED = 20;

type Recorded = RecordedInquiry & { readonly row: InquiryRow };

export function claimInquiries(
  server: DatedTables,
  { rail, limit, leaseMs, givenUpMs }: Omit<InquiryClaim, 'turns'>,
): ClaimedInquiry[] {
  const { tables, nowMs } = server;
  const due = tables.statusInquiries
    .values()
    .filter((row) => row.rail === rail && row.dueAtMs !== null && row.dueAtMs <= nowMs)
    .filter(({ leasedUntilMs }) => leasedUntilMs === null || leasedUntilMs <= nowMs)
    .sort((one, other) => (one.dueAtMs ?? 0) - (other.dueAtMs ?? 0))
    .slice(0, limit);
  return due.flatMap((row) => {
    const number = row.number + 1;
    const untilMs = nowMs + leaseMs;
    const leased = { inquiredAtMs: nowMs, leasedUntilMs: untilMs, dueAtMs: untilMs };
    tables.statusInquiries.set(row.id, { ...row, number, ...leased });
    const payment = tables.payments.get(row.paymentId);
    if (payment === undefined) return [];
    const calls = listSentCalls(server, row, givenUpMs);
    return [{ ...describeInquiry(server, row), number, snapshot: payment.snapshot, calls }];
  });
}

function describeInquiry({ tables }: DatedTables, row: InquiryRow) {
  const { id, kind, step, reference, callbacks, unconfirmed, fastStep, closes } = row;
  const isAbsent = row.absences > 0 && row.absentSinceMs !== null;
  const closing = row.closeId === null ? undefined : tables.railCalls.get(row.closeId);
  return {
    ...{ id, kind, step, reference, callbacks, unconfirmed, fastStep, closes },
    absence: isAbsent ? { count: row.absences, sinceMs: row.absentSinceMs } : null,
    isCloseDue: closing?.state === 'due',
    inquireUntilMs: row.inquireUntilMs,
    reported: listReported(tables.railCallbacks.values(), row),
  };
}

function listSentCalls(
  { tables, nowMs }: DatedTables,
  row: InquiryRow,
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
  { id, rail }: InquiryRow,
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
    const row = server.tables.statusInquiries.get(result.inquiry.id);
    if (row?.number !== result.inquiry.number) return false;
    record(server, { ...result, row });
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

function scheduleNext({ tables, nowMs }: DatedTables, { row, inquiry, next, ...result }: Recorded) {
  const { absence, close } = result;
  const isReported = row.callbacks > inquiry.callbacks;
  const isExpedited =
    row.dueAtMs !== null && row.leasedUntilMs !== null && row.dueAtMs < row.leasedUntilMs;
  const nextAtMs = next === null ? null : nowMs + next.inMs;
  tables.statusInquiries.set(row.id, {
    ...row,
    leasedUntilMs: null,
    step: next?.step ?? 0,
    inquireUntilMs: next?.inquireUntilMs ?? row.inquireUntilMs,
    dueAtMs: isExpedited || isReported ? row.dueAtMs : nextAtMs,
    unconfirmed: isReported ? row.unconfirmed : (next?.fast?.unconfirmed ?? []),
    fastStep: isReported ? row.fastStep : (next?.fast?.step ?? 0),
    absences: absence?.count ?? 0,
    absentSinceMs: absence?.sinceMs ?? null,
    closes: row.closes + (close === null ? 0 : 1),
    closeId: close?.id ?? row.closeId,
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
  { close, row, paymentId }: Recorded,
  answered: ReadonlySet<string>,
): void {
  if (close === null || tables.railCalls.has(close.id)) return;
  if (close.onlyWithout !== null && !answered.has(close.onlyWithout)) return;
  const { id, rail, request, inMs } = close;
  const times = { dueAtMs: nowMs + inMs, requestedAtMs: nowMs, commandedAtMs: nowMs };
  const none = { sentAtMs: null, begunAtMs: null, unknownAtMs: null };
  tables.railCalls.set(id, {
    ...{ id, rail, request, paymentId, merchantId: row.merchantId },
    ...{ operation: 'close', state: 'due', ...times, ...none },
  });
}
