// The answers of a batch: their bodies, and the commands that wait for a later event of their payment.
import type { RefundId } from '../core/ids.js';
import type { PaymentCommand } from '../core/payment/commands.js';
import { type FinalOutcome, isRejection, type Waiter } from '../core/payment/outcome.js';
import { findRefund, type PaymentState } from '../core/payment/state.js';
import { findShownStatus, viewPayment, viewRefund, viewSandbox } from '../core/payment/view.js';
import type { OwnedPartition, ReplyAddress } from './owned-partition.js';

/** The object that an answer shows: the payment, its public view, or one of its refunds. */
export type AnswerSubject = 'payment' | 'sandbox' | { refundId: RefundId };

export function findCommandSubject(command: PaymentCommand): AnswerSubject {
  if (command.type === 'simulate') return 'sandbox';
  return 'refundId' in command ? { refundId: command.refundId } : 'payment';
}

export function findWaiterSubject(waiter: Waiter): AnswerSubject {
  const [, refundId] = waiter.split(':');
  return refundId === undefined ? 'payment' : { refundId: refundId as RefundId };
}

/** The subject's JSON. For a rejection: the status that excludes the command. */
export function buildAnswerBody(
  subject: AnswerSubject,
  outcome: FinalOutcome,
  state: PaymentState,
  baseUrl: string,
): string {
  if (isRejection(outcome)) return findShownStatus(state);
  if (subject === 'payment') return JSON.stringify(viewPayment(state, baseUrl));
  if (subject === 'sandbox') return JSON.stringify(viewSandbox(state));
  const refund = findRefund(state, subject.refundId);
  return refund === undefined ? '' : JSON.stringify(viewRefund(state, refund));
}

/** Per payment and waiter. A gateway beyond the limit gets no reply, and reads the outcome from Postgres. */
const MAX_WAITERS = 256;

/**
 * The changes of one batch to the waiters of its partitions, kept apart until the batch is committed. Waiters exist in
 * memory only: when their process ends, the gateways read the outcome from Postgres.
 */
export class WaiterChanges {
  readonly #partitions: ReadonlyMap<number, OwnedPartition>;
  readonly #changed = new Map<number, Map<string, readonly ReplyAddress[]>>();

  constructor(partitions: ReadonlyMap<number, OwnedPartition>) {
    this.#partitions = partitions;
  }

  add(from: ReplyAddress & { partition: number }, paymentId: string, waiter: string): void {
    if (from.correlation === '') return;
    const key = `${paymentId} ${waiter}`;
    const waiting = this.#list(from.partition, key);
    if (waiting.length >= MAX_WAITERS) return;
    const { sender, correlation } = from;
    this.#set(from.partition, key, [...waiting, { sender, correlation }]);
  }

  /** Removes and returns the waiting addresses, the oldest first. */
  take(partition: number, paymentId: string, waiter: string): readonly ReplyAddress[] {
    const key = `${paymentId} ${waiter}`;
    const waiting = this.#list(partition, key);
    if (waiting.length > 0) this.#set(partition, key, []);
    return waiting;
  }

  /** Applies the changes to the partitions. */
  remember(): void {
    for (const [partition, changes] of this.#changed) {
      const waiters = this.#partitions.get(partition)?.waiters;
      if (waiters === undefined) continue;
      for (const [key, waiting] of changes) {
        if (waiting.length === 0) waiters.delete(key);
        else waiters.set(key, waiting);
      }
    }
  }

  #list(partition: number, key: string): readonly ReplyAddress[] {
    return (
      this.#changed.get(partition)?.get(key) ??
      this.#partitions.get(partition)?.waiters.get(key) ??
      []
    );
  }

  #set(partition: number, key: string, waiting: readonly ReplyAddress[]): void {
    const changes = this.#changed.get(partition) ?? new Map<string, readonly ReplyAddress[]>();
    changes.set(key, waiting);
    this.#changed.set(partition, changes);
  }
}
