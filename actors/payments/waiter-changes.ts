// Who waits for a later event of a payment: changes of one batch, kept apart until it is committed.
// Waiters live in memory only. When they are lost with their process, their gateways find the outcome
// by look-up.
import type { OwnedPartition, ReplyAddress } from './owned-partition.js';

/** Of one payment and one question; who comes beyond it finds the outcome by look-up. */
const MAX_WAITERS = 256;

export class WaiterChanges {
  readonly #entries: ReadonlyMap<number, OwnedPartition>;
  readonly #changed = new Map<number, Map<string, readonly ReplyAddress[]>>();

  constructor(entries: ReadonlyMap<number, OwnedPartition>) {
    this.#entries = entries;
  }

  add(from: ReplyAddress & { partition: number }, paymentId: string, waiter: string): void {
    if (from.correlation === '') return;
    const key = `${paymentId} ${waiter}`;
    const list = this.#list(from.partition, key);
    if (list.length >= MAX_WAITERS) return;
    const { sender, correlation } = from;
    this.#set(from.partition, key, [...list, { sender, correlation }]);
  }

  /** Removes and answers those who wait, the oldest first. */
  take(partition: number, paymentId: string, waiter: string): readonly ReplyAddress[] {
    const key = `${paymentId} ${waiter}`;
    const list = this.#list(partition, key);
    if (list.length > 0) this.#set(partition, key, []);
    return list;
  }

  remember(): void {
    for (const [partition, changes] of this.#changed) {
      const waiters = this.#entries.get(partition)?.waiters;
      if (waiters === undefined) continue;
      for (const [key, list] of changes) {
        if (list.length === 0) waiters.delete(key);
        else waiters.set(key, list);
      }
    }
  }

  #list(partition: number, key: string): readonly ReplyAddress[] {
    return (
      this.#changed.get(partition)?.get(key) ?? this.#entries.get(partition)?.waiters.get(key) ?? []
    );
  }

  #set(partition: number, key: string, list: readonly ReplyAddress[]): void {
    const changes = this.#changed.get(partition) ?? new Map<string, readonly ReplyAddress[]>();
    changes.set(key, list);
    this.#changed.set(partition, changes);
  }
}
