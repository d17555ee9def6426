// What the partition loop is given: clock, streams, store and replies. The process wires the real ones
// (main.ts); a simulation can drive the same loop with its own.
import type { Claim, PartitionAssignment } from '#store/postgres/payments/partition-leases.js';
import type { CommitBatch } from '#store/postgres/payments/commit-columns.js';
import type { Cursor, Frame, StreamCondition } from '#store/redis/commands.js';
import type { Reply, Wakes } from '#store/redis/replies.js';

export interface Clock {
  /** Wall clock, Unix milliseconds: the time of what happens to payments. */
  nowMs: () => number;
  /** Milliseconds that never go back: the time of leases and waits. */
  monotonicMs: () => number;
  sleep: (ms: number) => Promise<void>;
}

export interface CommandStreams {
  /** Waits a moment for frames behind the cursors; rejects when the streams cannot be reached. */
  read: (cursors: readonly Cursor[]) => Promise<Frame[]>;
  /** Drops what is committed and mends what was lost. */
  maintain: (cursors: readonly Cursor[]) => Promise<Map<number, StreamCondition>>;
  /** Sends the replies of a batch, by gateway, and wakes those for whom it left something to do. */
  answer: (replies: ReadonlyMap<string, readonly Reply[]>, wakes: Wakes) => Promise<void>;
}

export interface PaymentStore {
  loadSnapshots: (ids: readonly string[]) => Promise<Map<string, string>>;
  commit: (batch: CommitBatch) => Promise<void>;
  probe: (batch: CommitBatch) => Promise<void>;
  readClaims: (partitions: number[]) => Promise<Claim[]>;
}

export interface LeaseStore {
  heartbeat: () => Promise<Claim[]>;
  readAssignment: () => Promise<PartitionAssignment>;
  claim: (count: number) => Promise<Claim[]>;
  release: (partitions: number[]) => Promise<void>;
  leave: () => Promise<void>;
}
