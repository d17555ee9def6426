// Commits a batch until it is known what became of it. A lost connection leaves a commit unknown: the
// positions tell. They move by compare-and-set and all together, so one partition of ours that stands at
// the new position proves that everything landed, and all at the old one that nothing did.
import { comparePositions } from '../core/partition.js';
import type { Claim } from '#store/postgres/payments/partition-leases.js';
import type { CommitBatch, PositionMove } from '#store/postgres/payments/commit-columns.js';
import { classifyFailure } from '#store/postgres/classify-failure.js';
import type { Log } from '#ops/runtime/log.js';
import type { Clock, PaymentStore } from './ports.js';

const RETRY_MS = 50;

/**
 * exists: nothing landed, a payment was folded as new though it is stored.
 * fenced: nothing landed; `lost` names the partitions that are not ours any longer.
 */
export type CommitResult =
  | { kind: 'committed' }
  | { kind: 'exists' }
  | { kind: 'fenced'; lost: number[] }
  | { kind: 'refused'; error: unknown };

export interface CommitDeps {
  clock: Clock;
  store: Pick<PaymentStore, 'commit' | 'readClaims'>;
  log: Log;
  /** False once this process has dropped a partition of the batch, or stops itself. */
  isStillOurs: (batch: CommitBatch) => boolean;
}

/**
 * Commits, and after a lost answer or a fence reads the positions until they say what happened.
 * @throws Error when the stored state is one that cannot be: the process must exit
 */
export async function commitUntilKnown(
  parts: CommitDeps,
  batch: CommitBatch,
): Promise<CommitResult> {
  for (;;) {
    const result = await tryCommit(parts, batch);
    if (result !== undefined) return result;
    const claims = await readClaimsUntilKnown(parts, batch);
    if (claims === undefined)
      return { kind: 'fenced', lost: batch.positions.map((p) => p.partition) };
    const verdict = compareClaims(batch.positions, claims);
    if (verdict !== undefined) return verdict;
    parts.log.warn('a commit did not land; committing again');
    await parts.clock.sleep(RETRY_MS);
  }
}

/** undefined: the positions must be asked. */
async function tryCommit(
  { store, log }: CommitDeps,
  batch: CommitBatch,
): Promise<CommitResult | undefined> {
  try {
    await store.commit(batch);
    return { kind: 'committed' };
  } catch (error) {
    switch (classifyFailure(error)) {
      case 'exists':
        return { kind: 'exists' };
      case 'refused':
        return { kind: 'refused', error };
      case 'impossible':
        throw error;
      case 'fenced':
      case 'unknown':
        log.warn({ err: error }, 'a commit is in doubt; reading the positions');
        return undefined;
    }
  }
}

/** undefined: the partitions were dropped meanwhile. */
async function readClaimsUntilKnown(
  parts: CommitDeps,
  batch: CommitBatch,
): Promise<Claim[] | undefined> {
  const partitions = batch.positions.map((move) => move.partition);
  while (parts.isStillOurs(batch)) {
    try {
      return await parts.store.readClaims(partitions);
    } catch (error) {
      parts.log.warn({ err: error }, 'positions cannot be read yet');
      await parts.clock.sleep(RETRY_MS);
    }
  }
  return undefined;
}

/** undefined: nothing landed and all is still ours, so the same batch may be committed again. */
function compareClaims(
  moves: readonly PositionMove[],
  claims: readonly Claim[],
): CommitResult | undefined {
  const stored = new Map(claims.map((claim) => [claim.partition, claim]));
  const lost: number[] = [];
  for (const move of moves) {
    const claim = stored.get(move.partition);
    if (claim === undefined || claim.epoch !== move.epoch) lost.push(move.partition);
    else if (comparePositions(claim.position, move.to) === 0) return { kind: 'committed' };
    else if (comparePositions(claim.position, move.from) !== 0) {
      throw new Error(`partition ${move.partition}: a position moved under its own epoch`);
    }
  }
  return lost.length > 0 ? { kind: 'fenced', lost } : undefined;
}
