// Processes one callback: checks that the rail sent it, stores it once, and makes its subject due for a status inquiry. The
// status in a callback is never trusted: tokens and signatures of rails do not cover it.
import { hash } from 'node:crypto';
import { parsePayoutId } from '#actors/core/ids.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { NewCallback } from '#store/postgres/rails/callbacks.js';
import type { SentCallback, CallbackOutcome } from '#store/redis/callbacks.js';
import type { CallbackReading, CallbackSubject, Rail } from '../adapters/rail.js';
import type { CallbackStore } from '../calls/ports.js';

/** Our orders have a status inquiry before their rail knows them: an unknown order belongs to somebody else and can wait. */
const INQUIRE_UNKNOWN_AFTER_MS = 3_600_000;

export interface ProcessCallbackDeps {
  readonly store: CallbackStore;
  readonly rails: ReadonlyMap<string, Rail>;
  /** Called when a status inquiry is due at the rail. */
  readonly onInquiryDue: (rail: RailName) => void;
}

/** Rejects when the callback could not be stored: the rail must repeat it. `onOrder` gets the id of the order that it names. */
export async function processCallback(
  { store, rails, onInquiryDue }: ProcessCallbackDeps,
  { rail: name, headers, body }: Pick<SentCallback, 'rail' | 'headers' | 'body'>,
  onOrder?: (orderId: string | null) => void,
): Promise<CallbackOutcome> {
  const rail = rails.get(name);
  if (rail === undefined) return 'unavailable';
  const reading = rail.readCallback({ headers, body });
  if (reading.result === 'forged') return 'forged';
  if (reading.result === 'test') return 'ignored';
  if (reading.result === 'genuine' && reading.subject.kind === 'payout') {
    const payoutId = parsePayoutId(reading.subject.payoutId);
    if (payoutId !== undefined) await store.expeditePayout(rail.name, payoutId);
  }
  const callback = buildNewCallback(rail.name, body, reading);
  const stored = await store.storeCallback(callback, INQUIRE_UNKNOWN_AFTER_MS);
  if (stored.status === 'ignored') return 'ignored';
  if (stored.status === 'unknown_order') return 'unknown_order';
  if (callback.subject?.kind === 'order') onOrder?.(callback.subject.id);
  onInquiryDue(rail.name);
  return stored.isRepeat ? 'repeated' : 'taken';
}

function buildNewCallback(
  rail: RailName,
  body: Buffer,
  reading: Exclude<CallbackReading, { result: 'forged' | 'test' }>,
): NewCallback {
  if (reading.result === 'malformed') {
    const nothing = { subject: null, reports: null, amount: null, currency: null };
    return { rail, dedupeKey: `sha256 ${hash('sha256', body)}`, ...nothing, body };
  }
  const { dedupeKey, subject, reports, money } = reading;
  const { kind, railReference: reference } = subject;
  const transactionId = subject.kind === 'order' ? (subject.railTransactionId ?? null) : null;
  return {
    rail,
    dedupeKey,
    reports,
    subject: { kind, id: findSubjectId(subject), reference, transactionId },
    amount: money?.amountMinor.toString() ?? null,
    currency: money?.currency ?? null,
    body,
  };
}

function findSubjectId(subject: CallbackSubject): string | null {
  if (subject.kind === 'order') return subject.orderId;
  return subject.kind === 'refund' ? subject.refundId : subject.payoutId;
}
