// Collects the rows of one commit, from what the fold decided.
import type { Effects } from '../core/payment/effects/effect.js';
import type { PaymentEvent } from '../core/payment/events.js';
import type { PaymentState } from '../core/payment/state.js';
import { methodShown } from '../core/payment/view.js';
import { encodeEnvelope } from '../core/payment/wire/envelope.js';
import { encodeEvent } from '../core/payment/wire/event.js';
import { encodeRailCall } from '../core/payment/wire/rail-call.js';
import { encodeSnapshot } from '../core/payment/wire/snapshot.js';
import { eventIdOf } from '../core/ids.js';
import type { CommitBatch, PositionMove } from '../../store/postgres/payments/commit-batch.js';
import type { FoldCommand } from './fold-command.js';

/** Postgres takes no NUL in text, and a parked command may hold anything. */
const withoutNul = (text: string): string => text.replaceAll('\u0000', '\ufffd');

export class BatchRows {
  readonly batch: CommitBatch;

  constructor(atMs: number) {
    this.batch = {
      atMs,
      positions: [],
      created: [],
      changed: [],
      events: [],
      postings: [],
      railTransactions: [],
      railCalls: [],
      tasks: [],
      parked: [],
    };
  }

  move(move: PositionMove): void {
    this.batch.positions.push(move);
  }

  snapshot(state: PaymentState, before: PaymentState | undefined): void {
    const { id, status, version } = state;
    const paymentMethod = methodShown(state);
    const snapshot = encodeSnapshot(state);
    if (before !== undefined) {
      const fromVersion = before.version;
      this.batch.changed.push({ id, status, paymentMethod, fromVersion, version, snapshot });
      return;
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
      version,
      snapshot,
    });
  }

  event({ partition, position }: FoldCommand, event: PaymentEvent, caused: Effects): void {
    const { paymentId, version, type, atMs } = event;
    const { webhook } = caused;
    this.batch.events.push({
      partition,
      position,
      index: this.batch.events.length,
      paymentId,
      version,
      type,
      event: encodeEvent(event),
      envelope:
        webhook === null
          ? null
          : encodeEnvelope(eventIdOf(paymentId, version), webhook.type, atMs, webhook.data),
    });
    this.#consequences(event, caused);
  }

  park({ partition, position, index, text, parkedFor }: FoldCommand): void {
    const error = withoutNul(parkedFor ?? 'unknown');
    this.batch.parked.push({ partition, position, index, command: withoutNul(text), error });
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
