// The one statement that stores what a batch of commands caused.
import type { Postgres } from '../client.js';
import {
  buildStatement,
  type CommitBatch,
  type CommitStatement,
  hasConsequences,
} from './commit-columns.js';

const COMMIT = buildStatement(['commit_batch']);
const COMMIT_WITH_CONSEQUENCES = buildStatement(['commit_batch', 'commit_consequences']);
const PROBE = buildStatement(['commit_batch', 'commit_consequences'], ['undo_probe()']);
/** The error by which `undo_probe` rolls the statement back. */
const PROBE_PASSED = 'KS000';

/**
 * Commits the whole batch or nothing of it.
 * @throws an error that `classifyFailure` classifies
 */
export async function commitBatch(sql: Postgres, batch: CommitBatch): Promise<void> {
  const statement = hasConsequences(batch) ? COMMIT_WITH_CONSEQUENCES : COMMIT;
  const rows = await runStatement(sql, statement, batch);
  // After a lost connection the driver may resolve a query with the empty answer of another one.
  if (rows.length !== 1) throw new Error('Postgres did not answer the commit with one row');
}

/** Tests whether Postgres would accept the batch, and stores nothing. Rejects as `commitBatch` does. */
export async function probeBatch(sql: Postgres, batch: CommitBatch): Promise<void> {
  try {
    await runStatement(sql, PROBE, batch);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === PROBE_PASSED) return;
    throw error;
  }
}

function runStatement(sql: Postgres, { strings, readValues }: CommitStatement, batch: CommitBatch) {
  return sql(strings, ...readValues(batch));
}
