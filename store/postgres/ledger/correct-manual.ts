// Corrects manual payments that an earlier version posted to a rail's account (correct_manual_postings in
// store/postgres/functions/ledger.sql).
import type { Postgres } from '../client.js';

interface Row {
  readonly count: number;
}

/** Resolves to the number of postings that were added; a repeated call adds none. */
export const correctManualPostings = (sql: Postgres): Promise<number> =>
  count(sql, 'read write', (tx) => {
    return tx<Row[]>`select correct_manual_postings() as count`;
  });

/** Resolves to the number of postings that `correctManualPostings` would add. */
export const countManualCorrections = (sql: Postgres): Promise<number> =>
  count(sql, 'read only', (tx) => {
    return tx<Row[]>`select count(*)::integer as count from find_manual_corrections()`;
  });

async function count(
  sql: Postgres,
  mode: 'read write' | 'read only',
  select: (sql: Postgres) => Promise<readonly Row[]>,
): Promise<number> {
  return sql.begin(mode, async (tx) => {
    // It reads every posting, which takes longer than a request may.
    await tx`set local statement_timeout = 0`;
    const [row] = await select(tx as unknown as Postgres);
    if (row === undefined) throw new Error('the count of corrections returned no row');
    return row.count;
  });
}
