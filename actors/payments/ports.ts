// The world of the partition loop and of the lease keeper: streams and stores. Tests and simulations replace
// them; the functions here open the real ones.
import type { RefundEnd, StoredRefundEnd } from '#actors/core/approvals/refund-end.js';
import type { ApprovalId } from '#actors/core/ids.js';
import type { Approval } from '#store/postgres/approvals/approval-row.js';
import { findApprovals } from '#store/postgres/approvals/list-approvals.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  commitBatch,
  type CommitBatch,
  probeBatch,
} from '#store/postgres/payments/commit-batch.js';
import {
  type CommitRows,
  findLockedRows,
  loadDeferred,
  type StoredDeferral,
} from '#store/postgres/payments/deferred-commands.js';
import { loadSnapshots } from '#store/postgres/payments/load-payments.js';
import { findRefundEnds } from '#store/postgres/payments/refund-ends.js';
import {
  type Claim,
  type PartitionAssignment,
  readClaims,
  type StoppedPartition,
} from '#store/postgres/payments/partition-leases.js';
import { readMemoryShare, type RedisClient } from '#store/redis/client.js';
import { appendEmptyFrames } from '#store/redis/commands.js';
import { type ForwardedFrame, forwardFrames } from '#store/redis/forward-frames.js';
import type { FrameKeys } from '#store/redis/frames.js';
import {
  type MaintainedStream,
  maintainStreams,
  type StreamCondition,
} from '#store/redis/stream-repair.js';
import { publishOutcome, type Reply, type Wakes } from '#store/redis/replies.js';

export interface CommandStreams {
  /** Trims frames, and repairs streams that lost data. */
  maintain: (streams: readonly MaintainedStream[]) => Promise<Map<number, StreamCondition>>;
  /** Retained frames take memory that new commands may need. */
  isMemoryShort: () => Promise<boolean>;
  /** Appends a frame without commands, so that a batch begins. */
  appendEmptyFrames: (partitions: readonly number[]) => Promise<void>;
  /** Appends frames to other partitions. Returns those that Redis refused. */
  forward: (frames: readonly ForwardedFrame[]) => Promise<readonly ForwardedFrame[]>;
  /** Publishes the replies of a batch, by gateway, and wakes the processes that have work after it. */
  answer: (replies: ReadonlyMap<string, readonly Reply[]>, wakes: Wakes) => Promise<void>;
}

export interface PaymentStore {
  loadSnapshots: (ids: readonly string[]) => Promise<Map<string, string>>;
  loadApprovals: (ids: readonly ApprovalId[]) => Promise<Approval[]>;
  loadRefundEnds: (ends: readonly RefundEnd[]) => Promise<StoredRefundEnd[]>;
  commit: (batch: CommitBatch) => Promise<void>;
  probe: (batch: CommitBatch) => Promise<void>;
  loadDeferred: (partitions: readonly number[]) => Promise<StoredDeferral[]>;
  /** The accounts and payments that another transaction holds. */
  findLockedRows: (rows: CommitRows) => Promise<string[]>;
  readClaims: (partitions: number[]) => Promise<Claim[]>;
}

export interface LeaseStore {
  /** Announces the newest version of frames that it reads. Returns the claims that Postgres has under this process' name. */
  renewLease: (readsVersion: number) => Promise<Claim[]>;
  readAssignment: () => Promise<PartitionAssignment>;
  claim: (count: number) => Promise<Claim[]>;
  release: (partitions: number[]) => Promise<void>;
  /** Releases partitions to the processes that read the frames that it does not read. */
  giveUp: (stopped: readonly StoppedPartition[]) => Promise<void>;
  leave: () => Promise<void>;
}

/** Of maxmemory. Gateways refuse commands at 0.7, so retained frames never cause that by themselves. */
const RETENTION_MEMORY_SHARE = 0.5;

/** `keys`: those by which frames are checked. */
export function openCommandStreams(redis: RedisClient, keys: FrameKeys): CommandStreams {
  return {
    forward: forwardFrames.bind(null, redis, keys),
    appendEmptyFrames: appendEmptyFrames.bind(null, redis),
    maintain: maintainStreams.bind(null, redis),
    isMemoryShort: async () => (await readMemoryShare(redis)) >= RETENTION_MEMORY_SHARE,
    answer: publishOutcome.bind(null, redis),
  };
}

/** Reads never wait behind a commit, so they have a pool of their own. */
export function openPaymentStore(commits: Postgres, reads: Postgres): PaymentStore {
  return {
    loadSnapshots: loadSnapshots.bind(null, reads),
    loadApprovals: findApprovals.bind(null, reads),
    loadRefundEnds: findRefundEnds.bind(null, reads),
    commit: commitBatch.bind(null, commits),
    probe: probeBatch.bind(null, commits),
    loadDeferred: loadDeferred.bind(null, reads),
    findLockedRows: findLockedRows.bind(null, reads),
    readClaims: readClaims.bind(null, reads),
  };
}
