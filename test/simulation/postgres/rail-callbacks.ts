// Callbacks, pending commands and due payments in the model of Postgres: what store/postgres/rails/callbacks.ts,
// store/postgres/rails/pending-commands.ts and store/postgres/payments/due-payments.ts do.
import { decodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import type { PaymentId } from '#actors/core/ids.js';
import type { ReportedState } from '#actors/core/statuses.js';
import type { DuePayment, PostponedPayment } from '#store/postgres/payments/due-payments.js';
import type { NewCallback, StoredCallback } from '#store/postgres/rails/callbacks.js';
import type { PendingCommand } from '#store/postgres/rails/pending-commands.js';
import { pickEarlier } from './rail-calls.js';
import type { DatedTables } from './tables.js';

const MIN_BETWEEN_MS = 1_000;
const MIN_BEFORE_REPEAT_MS = 10_000;
const HOUR_MS = 3_600_000;

export function storeCallback(
  server: DatedTables,
  { body: _body, ...callback }: NewCallback,
): StoredCallback {
  const { railCallbacks } = server.tables;
  const key = `${callback.rail} ${callback.dedupeKey}`;
  const before = railCallbacks.get(key);
  const subject = findSubject(server, callback);
  const isRepeat = before !== undefined && before.status !== 'unknown_order';
  if (subject?.inquiryId !== undefined) {
    const pauseMs = isRepeat ? MIN_BEFORE_REPEAT_MS : MIN_BETWEEN_MS;
    expedite(server, callback, { inquiryId: subject.inquiryId, pauseMs });
  }
  const named = subject === undefined ? 'unknown_order' : 'taken';
  const status: StoredCallback['status'] = callback.subject === null ? 'ignored' : named;
  const repeats = before === undefined ? 0 : before.repeats + 1;
  const stored = { ...(before ?? callback), repeats, status: isRepeat ? before.status : status };
  railCallbacks.set(key, stored);
  return { status: stored.status, isRepeat: repeats > 0 };
}

/** undefined: the subject is unknown; without `inquiryId` it is ours and no longer inquired. Payouts are not modelled. */
function findSubject(
  { tables }: DatedTables,
  { subject, rail }: Omit<NewCallback, 'body'>,
): { readonly inquiryId?: string } | undefined {
  if (subject?.id === null) {
    const inquiry = tables.statusInquiries.values().find(({ rail: at, reference }) => {
      return at === rail && reference !== null && reference === subject.reference;
    });
    return inquiry === undefined ? undefined : { inquiryId: inquiry.id };
  }
  if (subject?.kind === 'order') {
    const inquiry = tables.statusInquiries.get(subject.id);
    return inquiry?.rail === rail ? { inquiryId: inquiry.id } : undefined;
  }
  if (subject?.kind !== 'refund') return undefined;
  const refund = tables.refunds.get(subject.id);
  if (refund?.environment !== 'LIVE') return undefined;
  const call = tables.railCalls
    .values()
    .filter(({ paymentId, state }) => paymentId === refund.paymentId && state !== 'due')
    .map(({ request }) => decodeRailCall(request))
    .find((one) => one.operation === 'refund' && one.refundId === refund.id);
  return call === undefined ? {} : { inquiryId: call.id };
}

function expedite(
  { tables, nowMs }: DatedTables,
  { rail, subject, reports }: Omit<NewCallback, 'body'>,
  { inquiryId, pauseMs }: { readonly inquiryId: string; readonly pauseMs: number },
): void {
  const inquiry = tables.statusInquiries.get(inquiryId);
  if (inquiry?.rail !== rail) return;
  const pausedUntilMs = inquiry.inquiredAtMs === null ? nowMs : inquiry.inquiredAtMs + pauseMs;
  const reported: readonly ReportedState[] = reports === null ? [] : [reports];
  tables.statusInquiries.set(inquiryId, {
    ...inquiry,
    dueAtMs: pickEarlier(inquiry.dueAtMs, Math.max(nowMs, pausedUntilMs)),
    reference: inquiry.reference ?? subject?.reference ?? null,
    inquireUntilMs: Math.max(inquiry.inquireUntilMs, nowMs + HOUR_MS),
    callbacks: inquiry.callbacks + 1,
    fastStep: 0,
    unconfirmed: [...new Set([...inquiry.unconfirmed, ...reported])].sort(),
  });
}

export function loadPendingCommands(
  { tables, nowMs }: DatedTables,
  after: string,
  limit: number,
  ageMs: number,
): PendingCommand[] {
  return tables.railFacts
    .values()
    .filter(({ id, storedAtMs }) => id > after && storedAtMs < nowMs - ageMs)
    .flatMap(({ id, command, paymentId }) => {
      const snapshot = tables.payments.get(paymentId)?.snapshot;
      return snapshot === undefined ? [] : [{ id, command, snapshot }];
    })
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .slice(0, limit);
}

export function deletePendingCommands({ tables }: DatedTables, ids: readonly string[]): void {
  for (const id of ids) tables.railFacts.delete(id);
}

export function loadDue(
  { tables, nowMs }: DatedTables,
  limit: number,
  underWay: readonly string[],
): DuePayment[] {
  return tables.payments
    .values()
    .filter(({ id, dueAtMs }) => dueAtMs !== null && dueAtMs <= nowMs && !underWay.includes(id))
    .sort((one, other) => (one.dueAtMs ?? 0) - (other.dueAtMs ?? 0))
    .slice(0, limit)
    .map(({ id, version, snapshot }) => ({ id: id as PaymentId, version, snapshot }));
}

export function postponeDue(
  { tables, nowMs }: DatedTables,
  postponed: readonly PostponedPayment[],
): void {
  for (const { id, version, inMs } of postponed) {
    const row = tables.payments.get(id);
    if (row?.version !== version || row.dueAtMs === null || row.dueAtMs > nowMs) continue;
    tables.payments.set(id, { ...row, dueAtMs: nowMs + Math.round(inMs) });
  }
}
