// A partition that this process owns, with what the process remembers of it. A claim creates the object, and the loss
// or release of the partition discards it: a later claim of the same partition is another object.
import { LRUCache } from 'lru-cache';
import { findCount, type Position } from '../core/partition.js';
import type { StoredDeferral } from '#store/postgres/payments/deferred-commands.js';
import type { Claim } from '#store/postgres/payments/partition-leases.js';

/** The largest snapshots have 30,000 characters; 16 partitions keep at most 16 to 32 MB, and 256 in one process four times that. */
const SNAPSHOTS_PER_PARTITION = 1_000;
const CHARACTERS_PER_SNAPSHOT = 1_000;
/** With more partitions, each keeps less, and a quarter at least. */
const FULL_SHARE_PARTITIONS = 16;
const LEAST_SHARE = 0.25;
/** Per payment and waiter. A gateway beyond the limit gets no reply, and reads the outcome from Postgres. */
const MAX_WAITERS = 256;

/** The destination of a reply, kept while its command waits for a later event of the payment. */
export interface ReplyAddress {
  sender: string;
  correlation: string;
}

/** Why and until when it waits is forgotten with the process: the next owner tries once. */
export interface DeferredCommand extends StoredDeferral {
  /** The account or payment that was locked. */
  readonly lock: string | undefined;
  /** By the monotonic clock. */
  readonly resumeAtMs: number;
  readonly pauseMs: number;
}

export interface OwnedPartition {
  readonly partition: number;
  readonly epoch: bigint;
  /** As of the claim: the numbers of partitions, the one of this epoch last. */
  readonly counts: readonly number[];
  /** All commands up to here are committed; the next read starts behind it. */
  position: Position;
  /**
   * Snapshots of committed states, by payment. They are kept as text, since most are never read again, and a text is
   * one object for the garbage collector where a state is dozens.
   */
  readonly snapshots: SnapshotCache;
  readonly waiters: Map<string, readonly ReplyAddress[]>;
  /** Accepted commands that are applied later, in their order; undefined: they are not loaded yet. */
  deferred: readonly DeferredCommand[] | undefined;
  /** Set while the partition is handed over: no more of its stream is read. */
  isLeaving: boolean;
  /** The version of the next frame, which this process does not read: the partition is given up. */
  stoppedBefore: number | undefined;
}

/** lru-cache throws for an entry without a size, which would end the process, so the type requires it. */
export interface SnapshotCache extends Pick<
  LRUCache<string, string>,
  'get' | 'has' | 'size' | 'calculatedSize'
> {
  /** `size`: the characters of the snapshot. */
  set(paymentId: string, snapshot: string, options: { readonly size: number }): unknown;
}

export type Ownership = Map<number, OwnedPartition>;

/** All partitions that the process owns, to be read only. */
export interface OwnedPartitions extends Pick<Ownership, 'get' | 'has' | 'size'> {
  keys: () => Iterable<number>;
  values: () => Iterable<OwnedPartition>;
}

export function createOwnedPartition(claim: Claim): OwnedPartition {
  const { partition, epoch, position, counts } = claim;
  const share = Math.max(LEAST_SHARE, FULL_SHARE_PARTITIONS / findCount(counts));
  const max = Math.min(SNAPSHOTS_PER_PARTITION, SNAPSHOTS_PER_PARTITION * share);
  return {
    partition,
    epoch,
    counts,
    position,
    snapshots: new LRUCache({
      max: Math.floor(max),
      maxSize: Math.floor(max) * CHARACTERS_PER_SNAPSHOT,
    }),
    waiters: new Map(),
    deferred: undefined,
    isLeaving: false,
    stoppedBefore: undefined,
  };
}

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
