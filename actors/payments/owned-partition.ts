// A partition that this process owns, with what the process remembers of it. A claim creates the object, and the loss
// or release of the partition discards it: a later claim of the same partition is another object.
import { LRUCache } from 'lru-cache';
import type { Position } from '../core/partition.js';
import type { Claim } from '#store/postgres/payments/partition-leases.js';

/** The largest snapshots have 30,000 characters; 16 partitions keep at most 16 to 32 MB. */
const SNAPSHOTS_PER_PARTITION = 1_000;
const CHARACTERS_PER_PARTITION = 1_000_000;

/** The destination of a reply, kept while its command waits for a later event of the payment. */
export interface ReplyAddress {
  sender: string;
  correlation: string;
}

export interface OwnedPartition {
  readonly partition: number;
  readonly epoch: bigint;
  /** All commands up to here are committed; the next read starts behind it. */
  position: Position;
  /**
   * Snapshots of committed states, by payment. They are kept as text, since most are never read again, and a text is
   * one object for the garbage collector where a state is dozens.
   */
  readonly snapshots: LRUCache<string, string>;
  readonly waiters: Map<string, readonly ReplyAddress[]>;
  /** Set while the partition is handed over: no more of its stream is read. */
  isLeaving: boolean;
}

export type Ownership = Map<number, OwnedPartition>;

export function createOwnedPartition({ partition, epoch, position }: Claim): OwnedPartition {
  return {
    partition,
    epoch,
    position,
    snapshots: new LRUCache({
      max: SNAPSHOTS_PER_PARTITION,
      maxSize: CHARACTERS_PER_PARTITION,
      sizeCalculation: (snapshot) => snapshot.length,
    }),
    waiters: new Map(),
    isLeaving: false,
  };
}
