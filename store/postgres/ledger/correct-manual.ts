// Corrects manual payments that an earlier version posted to a rail's account (correct_manual_postings in
// store/postgres/functions/ledger.sql).
import type { Postgres } from '../client.js';

/** Resolves to the number of postings that were added; a repeated call adds none. */
export async function correctManualPostings(sql: Postgres): Promise<number> {
  return sql.begin(async (tx) => {
    // It reads every posting, which takes longer than a request may.
    await tx`set local statement_timeout = 0`;
    const [row] = await tx<{ corrections: number }[]>`
      select correct_manual_postings() as corrections`;
    if (row === undefined) throw new Error('correct_manual_postings returned no row');
    return row.corrections;
  });
}
