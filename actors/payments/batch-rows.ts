// The rows of one commit, collected from the decisions of a fold.
import { deriveEventId } from '../core/ids.js';
import { findNextDueAtMs } from '../core/payment/due.js';
import type { PaymentEvent } from '../core/payment/events.js';
import type { Effects, Webhook } from '../core/payment/slice.js';
import type { PaymentState } from '../core/payment/state.js';
import { findShownMethod } from '../core/payment/view.js';
import { encodeEnvelope } from '../core/webhooks/envelope.js';
import { encodeEvent } from '../core/payment/wire/event.js';
import { encodeRailCall } from '../core/payment/wire/rail-call.js';
import { encodeSnapshot } from '../core/payment/wire/snapshot.js';
import type { CommitBatch, PositionMove } from '#store/postgres/payments/commit-batch.js';
import type { BatchCommand } from './batch-input.js';

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

  /** `before`: the stored state, if the payment exists. Returns the snapshot's text. */
  addSnapshot(state: PaymentState, before: PaymentState | undefined): string {
    const { id, status, version, merchantId, environment } = state;
    const paymentMethod = findShownMethod(state);
    const dueAtMs = findNextDueAtMs(state);
    const snapshot = encodeSnapshot(state);
    this.#addRefunds(state, before);
    if (before !== undefined) {
      const fromVersion = before.version;
      const changed = { id, status, paymentMethod, dueAtMs, fromVersion, version, snapshot };
      this.batch.changed.push(changed);
      return snapshot;
    }
    const { amountMinor, currency, referenceId } = state.request;
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

  addEvent(from: BatchCommand, state: PaymentState, event: PaymentEvent, effects: Effects): void {
    const { paymentId, version, type } = event;
    const envelope =
      effects.webhook === null ? NO_ENVELOPE : buildEnvelope(state, event, effects.webhook);
    this.batch.events.push({
      partition: from.partition,
      position: from.position,
      index: this.batch.events.length,
      paymentId,
      version,
      type,
      event: encodeEvent(event),
      merchantId: envelope.merchantId,
      environment: envelope.environment,
      envelope: envelope.text,
    });
    this.#addConsequences(event, effects);
  }

  addQuarantined({ partition, position, index, text }: BatchCommand, reason: string): void {
    const error = replaceNul(reason);
    this.batch.quarantined.push({ partition, position, index, command: replaceNul(text), error });
  }

  /** The refunds that the batch created or changed: an unchanged refund is the same object in both states. */
  #addRefunds(state: PaymentState, before: PaymentState | undefined): void {
    const { id: paymentId, merchantId, environment } = state;
    for (const refund of state.refunds) {
      if (before?.refunds.includes(refund) === true) continue;
      const { id, status } = refund;
      this.batch.refunds.push({ id, paymentId, merchantId, environment, status });
    }
  }

  #addConsequences({ paymentId, version, atMs }: PaymentEvent, effects: Effects): void {
    effects.postings.forEach((posting, index) => {
      this.batch.postings.push({ paymentId, version, index, ...posting });
    });
    if (effects.railTransaction !== null) {
      this.batch.railTransactions.push({ ...effects.railTransaction, paymentId });
    }
    for (const call of effects.railCalls) {
      const { id, rail, operation } = call;
      const request = encodeRailCall(call);
      this.batch.railCalls.push({ id, paymentId, rail, operation, request, dueAtMs: atMs });
    }
    for (const { id, kind, details } of effects.tasks) {
      this.batch.tasks.push({ id, kind, paymentId, details: JSON.stringify(details) });
    }
  }
}

const NO_ENVELOPE = { merchantId: null, environment: null, text: null };

function buildEnvelope(state: PaymentState, event: PaymentEvent, { type, data }: Webhook) {
  const { merchantId, environment } = state;
  const id = deriveEventId(event.paymentId, event.version);
  return { merchantId, environment, text: encodeEnvelope(id, type, event.atMs, data) };
}

/** Postgres refuses NUL in text, and a quarantined command may contain anything. */
function replaceNul(text: string): string {
  return text.replaceAll('\u0000', '\ufffd');
}
