// Writes a batch of attempts to Postgres so that no attempt holds up the others. A batch that Postgres refuses, or that
// waits for a lock, is halved until the attempt alone is found that causes it:
//
//   refused   Postgres will never store it. It is stored without the texts of the receiver, or else only the state of its
//             delivery is: delivered, or dead as `not_recorded`.
//   locked    Somebody holds its delivery, or the note about its endpoint. The caller repeats it.
import type { Log } from '#ops/runtime/log.js';
import { classifyFailure, findUndoneReason } from '#store/postgres/classify-failure.js';
import type { AttemptRow } from '#store/postgres/webhooks/record-attempts.js';
import type { DeliveryStore } from './ports.js';

/** Its statements give up waiting for a lock soon. */
export type AttemptStore = Pick<DeliveryStore, 'recordAttempts' | 'settleUnrecorded'>;

export interface AttemptWriterDeps {
  readonly store: AttemptStore;
  readonly unrecorded: { inc: () => void };
  readonly log: Pick<Log, 'error'>;
}

export interface UnwrittenAttempts {
  readonly locked: readonly AttemptRow[];
  /** Their deliveries have ended: delivered, or dead if the attempt failed. */
  readonly refused: readonly AttemptRow[];
}

const NONE: UnwrittenAttempts = { locked: [], refused: [] };

/** Idempotent. Rejects when Postgres does not answer: any of them may have been written. */
export async function writeAttempts(
  deps: AttemptWriterDeps,
  rows: readonly AttemptRow[],
): Promise<UnwrittenAttempts> {
  try {
    await deps.store.recordAttempts(rows);
    return NONE;
  } catch (error) {
    const isLocked = findUndoneReason(error) === 'contended';
    if (!isLocked && classifyFailure(error) !== 'refused') throw error;
    if (rows.length > 1) return writeHalves(deps, rows);
    if (isLocked) return { locked: rows, refused: [] };
    const [row] = rows;
    if (row === undefined || (await writeRefused(deps, row, error))) return NONE;
    return { locked: [], refused: [row] };
  }
}

async function writeHalves(
  deps: AttemptWriterDeps,
  rows: readonly AttemptRow[],
): Promise<UnwrittenAttempts> {
  const middle = Math.ceil(rows.length / 2);
  const first = await writeAttempts(deps, rows.slice(0, middle));
  const second = await writeAttempts(deps, rows.slice(middle));
  return {
    locked: [...first.locked, ...second.locked],
    refused: [...first.refused, ...second.refused],
  };
}

/** Returns whether the attempt was stored without its texts. */
async function writeRefused(
  { store, unrecorded, log }: AttemptWriterDeps,
  row: AttemptRow,
  error: unknown,
): Promise<boolean> {
  const { deliveryId, attempt } = row;
  try {
    await store.recordAttempts([{ ...row, error: null, excerpt: null }]);
    log.error({ err: error, deliveryId, attempt }, 'Postgres refused the texts of an attempt');
    return true;
  } catch (again) {
    if (classifyFailure(again) !== 'refused') throw again;
    await store.settleUnrecorded(row);
    unrecorded.inc();
    log.error(
      { err: again, deliveryId, attempt, failure: row.failure },
      'Postgres refused an attempt; its delivery was ended without it',
    );
    return false;
  }
}
