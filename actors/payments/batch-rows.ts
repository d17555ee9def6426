// The rows of one commit, collected from the decisions of a fold.
import { deriveEventId } from '../core/ids.js';
import { findNextDueAtMs } from '../core/payment/due.js';
import type { PaymentEvent } from '../core/payment/events.js';
import { type Effects, NO_EFFECTS, type Webhook } from '../core/payment/slice.js';
import type { PaymentState } from '../core/payment/state.js';
import { findShownMethod } from '../core/payment/view.js';
import { encodeEnvelope } from '../core/webhooks/envelope.js';
import { encodeEvent, type StoredEvent } from '../core/payment/wire/event.js';
import { encodeRailCall } from '../core/payment/wire/rail-call.js';
import { encodeSnapshot } from '../core/payment/wire/snapshot.js';
import { addTraceContext } from '../core/trace-context.js';
import type { CommitBatch, EventRow, PositionMove } from '#store/postgres/payments/commit-batch.js';
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
    deferred: [],
    resumed: [],
  };
}

/** The rows of a payment that a command changed, except those of its events. */
export interface EncodedPayment {
  readonly state: PaymentState;
  readonly paymentMethod: string | null;
  readonly dueAtMs: number | null;
  readonly snapshot: string;
}

/** Throws for a state that cannot be stored. */
export function encodePayment(state: PaymentState): EncodedPayment {
  const paymentMethod = findShownMethod(state);
  return { state, paymentMethod, dueAtMs: findNextDueAtMs(state), snapshot: encodeSnapshot(state) };
}

/** The rows of an event and of what follows from it; `addEvent` sets the event's number in the batch. */
export interface EncodedEvent {
  /** null: the row of the payment stores the event. */
  readonly row: (Omit<EventRow, 'index'> & { index: number }) | null;
  readonly consequences: Pick<
    CommitBatch,
    'postings' | 'railTransactions' | 'railCalls' | 'tasks'
  > | null;
}

/** Where an event comes from: its command, which waited for so long in its stream. */
export interface EventOrigin extends Pick<BatchCommand, 'partition' | 'position'> {
  readonly waitedMs: number;
  /** The trace context of its command's span; undefined: it is not traced. */
  readonly traceparent: string | undefined;
}

/** `state` has the event applied. Throws for an event that cannot be stored. */
export function encodeStep(
  origin: EventOrigin,
  state: PaymentState,
  event: PaymentEvent,
  effects: Effects,
): EncodedEvent {
  return {
    row: event.type === 'payment_created' ? null : buildEventRow(origin, state, event, effects),
    consequences: effects === NO_EFFECTS ? null : encodeConsequences(origin, event, effects),
  };
}

function buildEventRow(
  { partition, position, traceparent }: EventOrigin,
  state: PaymentState,
  event: StoredEvent,
  { webhook }: Effects,
): EncodedEvent['row'] {
  const { paymentId, version, type } = event;
  const envelope = webhook === null ? NO_ENVELOPE : buildEnvelope(state, event, webhook);
  const text = encodeEvent(event);
  return {
    partition,
    position,
    index: 0,
    paymentId,
    version,
    type,
    event: traceparent === undefined ? text : addTraceContext(text, traceparent),
    merchantId: envelope.merchantId,
    environment: envelope.environment,
    envelope: envelope.text,
  };
}

function encodeConsequences(
  { partition, waitedMs, traceparent }: Omit<EventOrigin, 'position'>,
  { paymentId, version }: PaymentEvent,
  { postings, railTransaction, railCalls, tasks }: Effects,
): EncodedEvent['consequences'] {
  return {
    postings: postings.map((posting, index) => {
      return { partition, paymentId, version, index, ...posting };
    }),
    railTransactions: railTransaction === null ? [] : [{ ...railTransaction, paymentId }],
    railCalls: railCalls.map((call) => {
      const { id, rail, operation } = call;
      const text = encodeRailCall(call);
      const request = traceparent === undefined ? text : addTraceContext(text, traceparent);
      return { id, paymentId, rail, operation, request, waitedMs };
    }),
    tasks: tasks.map(({ id, kind, details }) => {
      return { id, kind, paymentId, details: JSON.stringify(details) };
    }),
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

  /** `before`: the stored state, if the payment exists. */
  addPayment(payment: EncodedPayment, before: PaymentState | undefined): void {
    const { state, paymentMethod, dueAtMs, snapshot } = payment;
    const { id, status, version, merchantId, environment, createdAtMs } = state;
    this.#addRefunds(state, before);
    if (before !== undefined) {
      const fromVersion = before.version;
      const changed = { id, status, paymentMethod, dueAtMs, fromVersion, version, snapshot };
      this.batch.changed.push(changed);
      return;
    }
    const { amountMinor, currency, referenceId } = state.request;
    this.batch.created.push({
      id,
      merchantId,
      environment,
      atMs: createdAtMs,
      status,
      amountMinor,
      currency,
      paymentMethod,
      referenceId,
      dueAtMs,
      version,
      snapshot,
    });
  }

  addEvent({ row, consequences }: EncodedEvent): void {
    const { events, postings, railTransactions, railCalls, tasks } = this.batch;
    if (row !== null) {
      row.index = events.length;
      events.push(row);
    }
    if (consequences === null) return;
    postings.push(...consequences.postings);
    railTransactions.push(...consequences.railTransactions);
    railCalls.push(...consequences.railCalls);
    tasks.push(...consequences.tasks);
  }

  addQuarantined(item: BatchCommand, reason: string): void {
    const { partition, position, index, text } = item.deferred ?? item;
    const error = replaceNul(reason);
    this.batch.quarantined.push({ partition, position, index, command: replaceNul(text), error });
  }

  /** The refunds that the batch created or changed: an unchanged refund is the same object in both states. */
  #addRefunds(state: PaymentState, before: PaymentState | undefined): void {
    const { id: paymentId, merchantId, environment } = state;
    for (const refund of state.refunds) {
      if (before?.refunds.includes(refund) === true) continue;
      const { id, status, createdAtMs } = refund;
      this.batch.refunds.push({ id, paymentId, merchantId, environment, status, createdAtMs });
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
