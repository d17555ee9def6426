// One callback: is it the rail's, is it about something of ours, is it new. What it says of the order's status is not
// believed: it only makes the order due to be looked up.
import { hash } from 'node:crypto';
import type { RailName } from '#actors/core/rails/answers.js';
import type { CallbackFrame, CallbackOutcome } from '#store/redis/callbacks.js';
import type { NewCallback, StoredCallback } from '#store/postgres/rails/callbacks.js';
import type { CallbackReading, CallbackSubject, Rail } from '../adapters/rail.js';

export interface ProcessCallbackDeps {
  readonly rails: ReadonlyMap<string, Rail>;
  store: (callback: NewCallback) => Promise<StoredCallback>;
  /** Makes a payout due to be looked up, if it is one of ours. */
  notePayout: (rail: RailName, payoutId: string) => Promise<unknown>;
  /** Something at the rail is due to be looked up. */
  onStored: (rail: RailName) => void;
}

/** Rejects when it could not be stored. */
export async function processCallback(
  parts: ProcessCallbackDeps,
  { rail: name, headers, body }: Pick<CallbackFrame, 'rail' | 'headers' | 'body'>,
): Promise<CallbackOutcome> {
  const rail = parts.rails.get(name);
  if (rail === undefined) return 'unavailable';
  const reading = rail.readCallback({ headers, body });
  if (reading.result === 'forged') return 'forged';
  if (reading.result === 'genuine' && reading.subject.kind === 'payout') {
    await parts.notePayout(rail.name, reading.subject.payoutId);
  }
  const stored = await parts.store(buildNewCallback(rail.name, body, reading));
  if (stored.status === 'ignored') return 'ignored';
  if (stored.status === 'unknown_order') return 'unknown_order';
  if (stored.isRepeat) return 'repeated';
  parts.onStored(rail.name);
  return 'taken';
}

function buildNewCallback(
  rail: RailName,
  body: Buffer,
  reading: Exclude<CallbackReading, { result: 'forged' }>,
): NewCallback {
  if (reading.result === 'malformed') {
    const nothing = { subject: null, amount: null, currency: null };
    return { rail, dedupeKey: `sha256 ${hash('sha256', body)}`, ...nothing, body };
  }
  const { dedupeKey, subject, money } = reading;
  return {
    rail,
    dedupeKey,
    subject: { kind: subject.kind, id: findSubjectId(subject), reference: subject.railReference },
    amount: money?.amountMinor.toString() ?? null,
    currency: money?.currency ?? null,
    body,
  };
}

function findSubjectId(subject: CallbackSubject): string {
  if (subject.kind === 'order') return subject.orderId;
  return subject.kind === 'refund' ? subject.refundId : subject.payoutId;
}
