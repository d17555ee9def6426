// Commits a batch until its result is certain, and limits the next one by what this one took.
//
//   SENT ──answer──▶ COMMITTED, EXISTS, REFUSED or ROLLED BACK
//     ▲ │ no answer, or fenced
//     │ ▼
//     │ IN DOUBT: the positions are read until Postgres returns them
//     │   ├── a partition of ours is at the new position ─────▶ COMMITTED
//     │   ├── a partition has another epoch, or was dropped ──▶ FENCED: nothing may be answered
//     │   │   (or an earlier position: a failover of Postgres lost commits)
//     └───┴── all are at the old position: nothing was stored, the same batch is sent again
//
// The positions decide because they move by compare-and-set and all together. Only COMMITTED may be answered.
// A batch that was IN DOUBT before it was rolled back is FENCED: its first statement may still arrive, so a smaller batch
// from the same positions needs a new epoch.
import { comparePositions } from '../core/partition.js';
import { classifyFailure, findUndoneReason } from '#store/postgres/classify-failure.js';
import type { CommitBatch, PositionMove } from '#store/postgres/payments/commit-batch.js';
import type { Claim } from '#store/postgres/payments/partition-leases.js';
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import type { PaymentStore } from './ports.js';

const RETRY_MS = 50;
/** Down to single frames: commands are committed as long as Postgres can commit one of them within the limit on a statement (4 s). */
export const COMMANDS_AT_ONCE = { least: 1, most: 1_024, step: 32 } as const;
/**
 * Half of the limit on a statement, so that the growth itself ends before it. A slow commit alone changes nothing: where each
 * commit waits for a slow disk, small batches would only need more of them.
 */
export const GROWS_BELOW_MS = 2_000;

/**
 * exists: nothing was stored, since a payment that was folded as new exists.
 * fenced: nothing may be answered; `lost` are the partitions that this process no longer owns. `isRolledBack`: a second try
 * was rolled back for its time, while the first one may still arrive.
 * refused: nothing was stored, since Postgres refuses a row of the batch.
 * rolled_back: nothing was stored, since Postgres gave the statement up for its time or for a lock. The same batch may
 * fail again and again.
 */
export type CommitResult =
  | { kind: 'committed' }
  | { kind: 'exists' }
  | { kind: 'fenced'; lost: number[]; isRolledBack: boolean }
  | { kind: 'refused'; error: unknown }
  | { kind: 'rolled_back'; error: unknown };

export interface CommitDeps {
  clock: Clock;
  store: Pick<PaymentStore, 'commit' | 'readClaims'>;
  log: Log;
  /** False once this process has dropped a partition of the batch. */
  isOwned: (batch: CommitBatch) => boolean;
}

/** @throws Error when the stored state is impossible: the process must exit */
export async function commitUntilKnown(
  deps: CommitDeps,
  batch: CommitBatch,
): Promise<CommitResult> {
  const all = batch.positions.map(({ partition }) => partition);
  for (let wasInDoubt = false; ; wasInDoubt = true) {
    const answered = await sendCommit(deps, batch);
    if (answered !== 'in_doubt') {
      const mayArrive = wasInDoubt && answered.kind === 'rolled_back';
      return mayArrive ? { kind: 'fenced', lost: all, isRolledBack: true } : answered;
    }
    const claims = await readClaimsUntilKnown(deps, batch);
    if (claims === 'dropped') return { kind: 'fenced', lost: all, isRolledBack: false };
    const result = compareClaims(batch.positions, claims);
    if (result !== 'not_stored') return result;
    deps.log.warn('a commit was not stored; sending it again');
    await deps.clock.sleep(RETRY_MS);
  }
}

async function sendCommit(
  { store, log }: CommitDeps,
  batch: CommitBatch,
): Promise<CommitResult | 'in_doubt'> {
  try {
    await store.commit(batch);
    return { kind: 'committed' };
  } catch (error) {
    if (findUndoneReason(error) === 'contended') return { kind: 'rolled_back', error };
    switch (classifyFailure(error)) {
      case 'exists':
        return { kind: 'exists' };
      case 'refused':
        return { kind: 'refused', error };
      case 'impossible':
        throw error;
      case 'fenced':
      case 'unknown':
        log.warn({ err: error }, 'a commit is in doubt; reading the positions of its partitions');
        return 'in_doubt';
    }
  }
}

async function readClaimsUntilKnown(
  { store, clock, log, isOwned }: CommitDeps,
  batch: CommitBatch,
): Promise<Claim[] | 'dropped'> {
  const partitions = batch.positions.map(({ partition }) => partition);
  while (isOwned(batch)) {
    try {
      return await store.readClaims(partitions);
    } catch (error) {
      log.warn({ err: error }, `positions cannot be read; reading again in ${RETRY_MS} ms`);
      await clock.sleep(RETRY_MS);
    }
  }
  return 'dropped';
}

function compareClaims(
  moves: readonly PositionMove[],
  claims: readonly Claim[],
): CommitResult | 'not_stored' {
  const stored = new Map(claims.map((claim) => [claim.partition, claim]));
  const lost: number[] = [];
  for (const move of moves) {
    const claim = stored.get(move.partition);
    if (claim === undefined || claim.epoch !== move.epoch) lost.push(move.partition);
    else if (comparePositions(claim.position, move.to) === 0) return { kind: 'committed' };
    else if (comparePositions(claim.position, move.from) < 0) lost.push(move.partition);
    else if (comparePositions(claim.position, move.from) !== 0) {
      throw new Error(`the position of partition ${move.partition} moved under its own epoch`);
    }
  }
  return lost.length > 0 ? { kind: 'fenced', lost, isRolledBack: false } : 'not_stored';
}
