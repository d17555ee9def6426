// The partitions that this process owns right now, with what it remembers of them. An entry is made by
// a claim and forgotten whole when the partition is lost or given back: nothing of it may outlive it.
import { LRUCache } from 'lru-cache';
import type { Position } from '../core/partition.js';
import type { Claim } from '#store/postgres/payments/partition-leases.js';

/**
 * What is kept of a partition: by number, and by the characters of the snapshots, of which the largest have 30,000:
 * 16 partitions keep at most 16 to 32 MB.
 */
const STATES_PER_PARTITION = 1_000;
const CHARACTERS_PER_PARTITION = 1_000_000;

/** Where the reply to a command goes; kept for one that comes with a later event of the payment. */
export interface ReplyAddress {
  sender: string;
  correlation: string;
}

export interface OwnedPartition {
  readonly partition: number;
  readonly epoch: bigint;
  /** Committed up to here; the next read starts behind it. */
  position: Position;
  /**
   * Snapshots of committed states, by payment. As text: most are never asked for again, and a text is one object
   * for the garbage collector, a state dozens.
   */
  readonly snapshots: LRUCache<string, string>;
  readonly waiters: Map<string, readonly ReplyAddress[]>;
  /** Set while it is handed over: nothing more of it is read. */
  isLeaving: boolean;
}

export type Ownership = Map<number, OwnedPartition>;

/** What is remembered of a partition right after its claim: nothing but where it stands. */
export function createOwnedPartition(claim: Claim): OwnedPartition {
  return {
    partition: claim.partition,
    epoch: claim.epoch,
    position: claim.position,
    snapshots: new LRUCache({
      max: STATES_PER_PARTITION,
      maxSize: CHARACTERS_PER_PARTITION,
      sizeCalculation: (snapshot) => snapshot.length,
    }),
    waiters: new Map(),
    isLeaving: false,
  };
}
