// The partitions that this process owns right now, with what it remembers of them. An entry is made by
// a claim and forgotten whole when the partition is lost or given back: nothing of it may outlive it.
import { LRUCache } from 'lru-cache';
import type { PaymentState } from '../../core/payment/state.js';
import type { Position } from '../../core/partition.js';
import type { Claim } from '../../../store/postgres/partitions/lease.js';

/** States kept a partition; a state is about 1.5 KB, so 16 partitions keep at most some 24 MB. */
const STATES_PER_PARTITION = 1_000;

/** Someone who waits for a reply that comes with a later event of the payment. */
export interface Waiter {
  sender: string;
  correlation: string;
}

export interface OwnedPartition {
  readonly partition: number;
  readonly epoch: bigint;
  /** Committed up to here; the next read starts behind it. */
  position: Position;
  /** Committed states only. */
  readonly states: LRUCache<string, PaymentState>;
  readonly waiters: Map<string, readonly Waiter[]>;
  /** Set while it is handed over: nothing more of it is read. */
  isLeaving: boolean;
}

export type Ownership = Map<number, OwnedPartition>;

/** What is remembered of a partition right after its claim: nothing but where it stands. */
export function own(claim: Claim): OwnedPartition {
  return {
    partition: claim.partition,
    epoch: claim.epoch,
    position: claim.position,
    states: new LRUCache({ max: STATES_PER_PARTITION }),
    waiters: new Map(),
    isLeaving: false,
  };
}
