// Callbacks, pending commands and due payments in the model of Postgres: what store/postgres/rails/callbacks.ts,
// store/postgres/rails/pending-commands.ts and store/postgres/payments/due-payments.ts do.
import { decodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import type { PaymentId } from '#actors/core/ids.js';
import type { ReportedState } from '#actors/core/rails/answers.js';
import type { DuePayment } from '#store/postgres/payments/due-payments.js';
import type { NewCallback, StoredCallback } from '#store/postgres/rails/callbacks.js';
import type { PendingCommand } from '#store/postgres/rails/pending-commands.js';
import { pickEarlier } from './rail-calls.js';
import type { DatedTables } from './tables.js';

const MIN_BETWEEN_MS = 1_000;
const MIN_BEFORE_REPEAT_MS = 10_000;
const HOUR_MS = 3_600_000;
const FIRST_WAIT_MS = 3_000;
const MAX_DOUBLINGS = 11;
const DEFERRED_FOR_MS = 10_000;

export function storeCallback(
  server: DatedTables,
  { body: _body, ...callback }: NewCallback,
): StoredCallback {
  const { railCallbacks } = server.tables;
  const key = `${callback.rail} ${callback.dedupeKey}`;
  const before = railCallbacks.get(key);
  const subject = findSubject(server, callback);
  const isRepeat = before !== undefined && before.status !== 'unknown_order';
  if (subject?.watchId !== undefined) {
    const pauseMs = isRepeat ? MIN_BEFORE_REPEAT_MS : MIN_BETWEEN_MS;
    expedite(server, callback, { watchId: subject.watchId, pauseMs });
  }
  const named = subject === undefined ? 'unknown_order' : 'taken';
  const status: StoredCallback['status'] = callback.subject === null ? 'ignored' : named;
  const repeats = before === undefined ? 0 : before.repeats + 1;
  const stored = { ...(before ?? callback), repeats, status: isRepeat ? before.status : status };
  railCallbacks.set(key, stored);
  return { status: stored.status, isRepeat: repeats > 0 };
}

/** undefined: the subject is unknown; without `watchId` it is ours and no longer inquired. Payouts are not modelled. */
function findSubject(
  { tables }: DatedTables,
  { subject, rail }: Omit<NewCallback, 'body'>,
): { readonly watchId?: string } | undefined {
  if (subject?.kind === 'order') {
    const watch = tables.railWatches.get(subject.id);
    return watch?.rail === rail ? { watchId: watch.id } : undefined;
  }
  if (subject?.kind !== 'refund') return undefined;
  const refund = tables.refunds.get(subject.id);
  if (refund?.environment !== 'LIVE') return undefined;
  const call = tables.railCalls
    .values()
    .filter(({ paymentId, state }) => paymentId === refund.paymentId && state !== 'due')
    .map(({ request }) => decodeRailCall(request))
    .find((one) => one.operation === 'refund' && one.refundId === refund.id);
  return call === undefined ? {} : { watchId: call.id };
}

function expedite(
  { tables, nowMs }: DatedTables,
  { rail, subject, reports }: Omit<NewCallback, 'body'>,
  { watchId, pauseMs }: { readonly watchId: string; readonly pauseMs: number },
): void {
  const watch = tables.railWatches.get(watchId);
  if (watch?.rail !== rail) return;
  const pausedUntilMs = watch.inquiredAtMs === null ? nowMs : watch.inquiredAtMs + pauseMs;
  const reported: readonly ReportedState[] = reports === null ? [] : [reports];
  tables.railWatches.set(watchId, {
    ...watch,
    lookAtMs: pickEarlier(watch.lookAtMs, Math.max(nowMs, pausedUntilMs)),
    reference: watch.reference ?? subject?.reference ?? null,
    watchUntilMs: Math.max(watch.watchUntilMs, nowMs + HOUR_MS),
    callbacks: watch.callbacks + 1,
    fastStep: 0,
    unconfirmed: [...new Set([...watch.unconfirmed, ...reported])].sort(),
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

export function loadDue({ tables, nowMs }: DatedTables, limit: number): DuePayment[] {
  return tables.payments
    .values()
    .filter(({ dueAtMs }) => dueAtMs !== null && dueAtMs <= nowMs)
    .sort((one, other) => (one.dueAtMs ?? 0) - (other.dueAtMs ?? 0))
    .slice(0, limit)
    .map(({ id, snapshot }) => ({ id: id as PaymentId, snapshot }));
}

export function claimDue(server: DatedTables, ids: readonly string[]): Set<string> {
  const claimed = new Set<string>();
  for (const id of ids) {
    const row = server.tables.payments.get(id);
    if (row === undefined || row.dueAtMs === null || row.dueAtMs > server.nowMs) continue;
    const waitMs = FIRST_WAIT_MS * 2 ** Math.min(row.dueSends, MAX_DOUBLINGS);
    const dueAtMs = server.nowMs + Math.min(waitMs, HOUR_MS);
    server.tables.payments.set(id, { ...row, dueAtMs, dueSends: row.dueSends + 1 });
    claimed.add(id);
  }
  return claimed;
}

export function deferDue({ tables, nowMs }: DatedTables, ids: readonly string[]): void {
  for (const id of ids) {
    const row = tables.payments.get(id);
    if (row === undefined || row.dueAtMs === null || row.dueAtMs > nowMs) continue;
    tables.payments.set(id, { ...row, dueAtMs: nowMs + DEFERRED_FOR_MS });
  }
}
