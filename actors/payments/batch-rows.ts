// Collects the rows of one commit, from what the fold decided.
import type { Effects } from '../core/payment/slice.js';
import type { Webhook } from '../core/payment/slice.js';
import type { PaymentEvent } from '../core/payment/events.js';
import type { PaymentState } from '../core/payment/state.js';
import { findNextDueAtMs } from '../core/payment/due.js';
import { methodShown } from '../core/payment/view.js';
import { encodeEnvelope } from '../core/payment/wire/envelope.js';
import { encodeEvent } from '../core/payment/wire/event.js';
import { encodeRailCall } from '../core/payment/wire/rail-call.js';
import { encodeSnapshot } from '../core/payment/wire/snapshot.js';
import { deriveEventId } from '../core/ids.js';
import type { CommitBatch, PositionMove } from '#store/postgres/payments/commit-columns.js';
import type { FoldCommand } from './fold-command.js';

/** Postgres takes no NUL in text, and a parked command may hold anything. */
const replaceNul = (text: string): string => text.replaceAll('\u0000', '\ufffd');

export function createEmptyBatch(atMs: number): CommitBatch {
  return {
    atMs,
    positions: [],
    created: [],
    changed: [],
    events: [],
    postings: [],
    refunds: [],
    railTransactions: [],
    railCalls: [],
    tasks: [],
    quarantined: [],
  };
}

export class BatchRows {
  readonly batch: CommitBatch;

  constructor(atMs: number) {
    this.batch = createEmptyBatch(atMs);
  }

  addMove(move: PositionMove): void {
    this.batch.positions.push(move);
  }

  /** Answers the snapshot's text. */
  addSnapshot(state: PaymentState, before: PaymentState | undefined): string {
    const { id, status, version } = state;
    const paymentMethod = methodShown(state);
    const dueAtMs = findNextDueAtMs(state);
    this.#refunds(state, before);
    const snapshot = encodeSnapshot(state);
    if (before !== undefined) {
      const fromVersion = before.version;
      this.batch.changed.push({
        id,
        status,
        paymentMethod,
        dueAtMs,
        fromVersion,
        version,
        snapshot,
      });
      return snapshot;
    }
    const { merchantId, environment, request } = state;
    const { amountMinor, currency, referenceId } = request;
    this.batch.created.push({
      id,
      merchantId,
      environment,
      status,
      amountMinor,
      currency,
      paymentMethod,
      referenceId,
      dueAtMs,
      version,
      snapshot,
    });
    return snapshot;
  }

  addEvent(from: FoldCommand, state: PaymentState, event: PaymentEvent, caused: Effects): void {
    const { paymentId, version, type } = event;
    this.batch.events.push({
      partition: from.partition,
      position: from.position,
      index: this.batch.events.length,
      paymentId,
      version,
      type,
      event: encodeEvent(event),
      ...(caused.webhook === null ? NO_ENVELOPE : buildEnvelope(state, event, caused.webhook)),
    });
    this.#consequences(event, caused);
  }

  addQuarantined({ partition, position, index, text }: FoldCommand, reason: string): void {
    const error = replaceNul(reason);
    this.batch.quarantined.push({ partition, position, index, command: replaceNul(text), error });
  }

  /** Those that the batch made or changed; what it left alone is the same object as before. */
  #refunds(state: PaymentState, before: PaymentState | undefined): void {
    const { id: paymentId, merchantId, environment } = state;
    for (const refund of state.refunds) {
      if (before?.refunds.includes(refund) === true) continue;
      const { id, status } = refund;
      this.batch.refunds.push({ id, paymentId, merchantId, environment, status });
    }
  }

  #consequences({ paymentId, version, atMs }: PaymentEvent, caused: Effects): void {
    caused.postings.forEach((posting, index) => {
      this.batch.postings.push({ paymentId, version, index, ...posting });
    });
    if (caused.railTransaction !== null) {
      this.batch.railTransactions.push({ ...caused.railTransaction, paymentId });
    }
    for (const call of caused.railCalls) {
      const { id, rail, operation } = call;
      const request = encodeRailCall(call);
      this.batch.railCalls.push({ id, paymentId, rail, operation, request, dueAtMs: atMs });
    }
    for (const { id, kind, details } of caused.tasks) {
      this.batch.tasks.push({ id, kind, paymentId, details: JSON.stringify(details) });
    }
  }
}

const NO_ENVELOPE = { merchantId: null, environment: null, envelope: null };

function buildEnvelope(state: PaymentState, event: PaymentEvent, { type, data }: Webhook) {
  const { merchantId, environment } = state;
  const id = deriveEventId(event.paymentId, event.version);
  return { merchantId, environment, envelope: encodeEnvelope(id, type, event.atMs, data) };
}
