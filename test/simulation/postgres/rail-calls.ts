// Calls to rails in the model of Postgres: what claim-calls.ts, record-answers.ts and overdue-refunds.ts of
// store/postgres/rails do.
import { REFUND_SENT_WITHIN_MS } from '#actors/core/payment/refunds.js';
import { decodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import type { CallQueue, ClaimedCall } from '#store/postgres/rails/claim-calls.js';
import type { OverdueRefund, RefundTask } from '#store/postgres/rails/overdue-refunds.js';
import type {
  CallAnswer,
  CallClaim,
  UnknownCall,
  UnsentCall,
} from '#store/postgres/rails/record-answers.js';
import type { CallRow, DatedTables, InquiryRow } from './tables.js';

const AGE_ERROR_MS = 1_000;
const DAY_MS = 86_400_000;
const INQUIRE_REFUND_MS = 30 * DAY_MS;

/** As `least`: null counts for nothing. */
export const pickEarlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

export function claimCalls(
  server: DatedTables,
  queue: CallQueue,
  limit: number,
  answerMs: number,
): ClaimedCall[] {
  const { tables, nowMs } = server;
  const due = tables.railCalls
    .values()
    .filter(({ state, rail, operation }) => {
      return state === 'due' && rail === queue.rail && operation === queue.operation;
    })
    .filter(({ dueAtMs }) => dueAtMs <= nowMs)
    .filter((row) => row.operation !== 'refund' || isSendable(row, nowMs))
    .sort((one, other) => one.dueAtMs - other.dueAtMs)
    .slice(0, limit);
  return due.flatMap((row) => {
    tables.railCalls.set(row.id, { ...row, state: 'sent', sentAtMs: nowMs, begunAtMs: null });
    scheduleInquiry(server, row, { queue, answerMs });
    const payment = tables.payments.get(row.paymentId);
    if (payment === undefined) return [];
    const { id, request } = row;
    const { snapshot } = payment;
    const isDoubtful = row.commandedAtMs < tables.noteTimeline(nowMs) + AGE_ERROR_MS;
    return [{ id, request, snapshot, sentAt: String(nowMs), takesPayments: true, isDoubtful }];
  });
}

const isSendable = ({ requestedAtMs }: CallRow, nowMs: number, withinMs = REFUND_SENT_WITHIN_MS) =>
  requestedAtMs > nowMs - withinMs;

function scheduleInquiry(
  { tables, nowMs }: DatedTables,
  { request, operation, rail, paymentId, merchantId }: CallRow,
  { queue, answerMs }: { readonly queue: CallQueue; readonly answerMs: number },
): void {
  const call = decodeRailCall(request);
  const id = operation === 'refund' ? call.id : call.orderId;
  const inquireAtMs = nowMs + answerMs;
  const known = tables.statusInquiries.get(id);
  if (known !== undefined) {
    const dueAtMs = pickEarlier(known.dueAtMs, inquireAtMs);
    const step = operation === 'close' ? 0 : known.step;
    tables.statusInquiries.set(id, { ...known, dueAtMs, step });
    return;
  }
  const openUntilMs = call.operation === 'charge' ? (queue.openMs?.[call.method] ?? null) : null;
  const inquireUntilMs =
    call.operation === 'charge'
      ? Math.max(call.expiresAtMs, nowMs + (openUntilMs ?? -Infinity)) + DAY_MS
      : nowMs + (operation === 'refund' ? INQUIRE_REFUND_MS : DAY_MS);
  tables.statusInquiries.set(id, {
    ...{ id, kind: operation === 'refund' ? 'refund' : 'order', merchantId, paymentId },
    ...{ rail: queue.rail, dueAtMs: inquireAtMs, inquireUntilMs },
    ...NEW_INQUIRY,
  });
  if (rail !== queue.rail) throw new Error('a call was claimed by the queue of another rail');
}

const NEW_INQUIRY = {
  ...{ reference: null, leasedUntilMs: null, number: 0, step: 0, inquiredAtMs: null },
  ...{ callbacks: 0, unconfirmed: [], fastStep: 0, absences: 0, absentSinceMs: null },
  ...{ closes: 0, closeId: null },
} as const satisfies Partial<InquiryRow>;

export function recordAnswers(
  { tables, nowMs }: DatedTables,
  answers: readonly CallAnswer[],
): boolean[] {
  const first = new Set<string>();
  for (const { callId, command, inquiryId, inquireInMs, reference } of answers) {
    const row = tables.railCalls.get(callId);
    if (row?.state !== 'sent') continue;
    first.add(callId);
    const { paymentId } = row;
    tables.railCalls.set(callId, { ...row, state: 'answered' });
    if (!tables.railFacts.has(callId)) {
      tables.railFacts.set(callId, { id: callId, paymentId, command, storedAtMs: nowMs });
    }
    const inquiry = tables.statusInquiries.get(inquiryId);
    if (inquiry === undefined) continue;
    const inquireAtMs = inquireInMs === null ? null : nowMs + inquireInMs;
    const isConfirmed = inquiry.unconfirmed.length === 0;
    const dueAtMs = isConfirmed ? inquireAtMs : pickEarlier(inquiry.dueAtMs, inquireAtMs);
    const known = reference ?? inquiry.reference;
    tables.statusInquiries.set(inquiryId, { ...inquiry, dueAtMs, reference: known });
  }
  return answers.map(({ callId }) => first.has(callId));
}

const isClaimedBy = (row: CallRow, { sentAt }: CallClaim): boolean =>
  row.state === 'sent' && String(row.sentAtMs) === sentAt;

export function beginRefund({ tables, nowMs }: DatedTables, claim: CallClaim): boolean {
  const row = tables.railCalls.get(claim.callId);
  if (row === undefined || !isClaimedBy(row, claim) || row.begunAtMs !== null) return false;
  tables.railCalls.set(row.id, { ...row, begunAtMs: nowMs });
  return true;
}

/** False: another request may have been sent, and the caller records that the outcome is unknown. */
export function recordUnsent({ tables, nowMs }: DatedTables, unsent: UnsentCall): boolean {
  const { callId, inquiryId, dueInMs } = unsent;
  const row = tables.railCalls.get(callId);
  if (row === undefined || !isClaimedBy(row, unsent) || row.unknownAtMs !== null) return false;
  const dueAtMs = nowMs + dueInMs;
  tables.railCalls.set(callId, { ...row, state: 'due', sentAtMs: null, dueAtMs });
  const inquiry = tables.statusInquiries.get(inquiryId);
  if (inquiry !== undefined) tables.statusInquiries.set(inquiryId, { ...inquiry, dueAtMs: null });
  return true;
}

export function repeatRefund(
  { tables, nowMs }: DatedTables,
  callId: string,
  keyMs: number,
): boolean {
  const row = tables.railCalls.get(callId);
  const withinMs = Math.min(keyMs, REFUND_SENT_WITHIN_MS);
  if (row?.state !== 'sent' || row.operation !== 'refund') return false;
  if (!isSendable(row, nowMs, withinMs)) return false;
  const unknownAtMs = row.unknownAtMs ?? nowMs;
  const due = { state: 'due', sentAtMs: null, dueAtMs: nowMs } as const;
  tables.railCalls.set(callId, { ...row, ...due, unknownAtMs });
  return true;
}

export function repeatUnbegunRefund(
  { tables, nowMs }: DatedTables,
  callId: string,
  givenUpMs: number,
): boolean {
  const row = tables.railCalls.get(callId);
  if (row?.state !== 'sent' || row.operation !== 'refund' || row.begunAtMs !== null) return false;
  if ((row.sentAtMs ?? Infinity) >= nowMs - givenUpMs || !isSendable(row, nowMs)) return false;
  tables.railCalls.set(callId, { ...row, state: 'due', sentAtMs: null, dueAtMs: nowMs });
  return true;
}

export function recordUnknown(
  { tables, nowMs }: DatedTables,
  { callId, inquiryId, inquireInMs, reference }: UnknownCall,
): void {
  const row = tables.railCalls.get(callId);
  if (row?.state !== 'sent') return;
  tables.railCalls.set(callId, { ...row, unknownAtMs: row.unknownAtMs ?? nowMs });
  const inquiry = tables.statusInquiries.get(inquiryId);
  if (inquiry === undefined) return;
  const dueAtMs = pickEarlier(inquiry.dueAtMs, nowMs + inquireInMs);
  const known = reference ?? inquiry.reference;
  tables.statusInquiries.set(inquiryId, { ...inquiry, dueAtMs, reference: known });
}

export function loadOverdueRefunds(
  { tables, nowMs }: DatedTables,
  afterMs: number,
  limit: number,
): OverdueRefund[] {
  const known = tables.tasks
    .values()
    .filter(({ kind }) => kind === 'refund_unresolved')
    .map(({ details }) => (JSON.parse(details) as { refundId?: string }).refundId);
  return tables.railCalls
    .values()
    .filter(({ operation, state }) => operation === 'refund' && state !== 'answered')
    .filter(({ requestedAtMs }) => requestedAtMs <= nowMs - afterMs)
    .filter(({ request }) => {
      const { refundId } = JSON.parse(request) as { refundId: string };
      return tables.refunds.get(refundId)?.status === 'asked' && !known.includes(refundId);
    })
    .sort((one, other) => one.requestedAtMs - other.requestedAtMs)
    .slice(0, limit)
    .map(({ paymentId, request }) => ({ paymentId, request }));
}

export function openRefundTask({ tables }: DatedTables, task: RefundTask): void {
  if (tables.tasks.has(task.id)) return;
  tables.tasks.set(task.id, { ...task, kind: 'refund_unresolved', status: 'open' });
}
