// The commit: one statement stores what a batch of commands caused. The rows are described in commit-columns.ts, and the SQL
// functions commit_batch and commit_consequences are in functions/payments.sql. Each row set is one parameter.
import { hasCode } from '../classify-failure.js';
import type { Postgres } from '../client.js';
import { LAYOUT, packRows, type Row, type RowSet } from './commit-columns.js';

export type PositionMove = Row<'positions'>;
export type NewPayment = Row<'created'>;
export type EventRow = Row<'events'>;
export type DeferredRow = Row<'deferred'>;

/** Everything that one commit stores. */
export type CommitBatch = { atMs: number } & { [Set in RowSet]: Row<Set>[] };

/** The row sets that most batches have none of. */
const CONSEQUENCES = [
  'postings',
  'refunds',
  'railTransactions',
  'railCalls',
  'tasks',
  'quarantined',
  'deferred',
  'resumed',
] as const satisfies readonly RowSet[];

function hasConsequences(batch: CommitBatch): boolean {
  return CONSEQUENCES.some((set) => batch[set].length > 0);
}

/** Templates of the driver: a statement with nested fragments takes its client 111 µs instead of 93. */
const COMMIT_CALL = 'commit_batch($, $, $, $, $)';
const CONSEQUENCES_CALL = 'commit_consequences($, $, $, $, $, $, $, $, $)';
const COMMIT = buildTemplate(`select ${COMMIT_CALL}`);
const COMMIT_WITH_CONSEQUENCES = buildTemplate(`select ${COMMIT_CALL}, ${CONSEQUENCES_CALL}`);
const PROBE = buildTemplate(`select ${COMMIT_CALL}, ${CONSEQUENCES_CALL}, undo_probe()`);

/** `$` marks the place of a value. */
function buildTemplate(statement: string): TemplateStringsArray {
  const strings = statement.split('$');
  return Object.assign(strings, { raw: strings });
}

function packCommit({ positions, created, changed, events }: CommitBatch): string[] {
  return [
    LAYOUT,
    packRows('positions', positions),
    packRows('created', created),
    packRows('changed', changed),
    packRows('events', events),
  ];
}

function packConsequences(batch: CommitBatch): (string | Date)[] {
  return [
    new Date(batch.atMs),
    packRows('postings', batch.postings),
    packRows('refunds', batch.refunds),
    packRows('railTransactions', batch.railTransactions),
    packRows('railCalls', batch.railCalls),
    packRows('tasks', batch.tasks),
    packRows('quarantined', batch.quarantined),
    packRows('deferred', batch.deferred),
    packRows('resumed', batch.resumed),
  ];
}

/** The error by which `undo_probe` rolls the statement back. */
const PROBE_PASSED = 'KS000';

/**
 * Commits the whole batch or nothing of it.
 * @throws an error that `classifyFailure` classifies
 */
export async function commitBatch(sql: Postgres, batch: CommitBatch): Promise<void> {
  const rows = hasConsequences(batch)
    ? await sql(COMMIT_WITH_CONSEQUENCES, ...packCommit(batch), ...packConsequences(batch))
    : await sql(COMMIT, ...packCommit(batch));
  // After a lost connection the driver may resolve a query with the empty answer of another one.
  if (rows.length !== 1) throw new Error('Postgres did not answer the commit with one row');
}

/** Tests whether Postgres would accept the batch, and stores nothing. Rejects as `commitBatch` does. */
export async function probeBatch(sql: Postgres, batch: CommitBatch): Promise<void> {
  try {
    await sql(PROBE, ...packCommit(batch), ...packConsequences(batch));
  } catch (error) {
    if (hasCode(error, PROBE_PASSED)) return;
    throw error;
  }
}
