// Several reads that agree with each other, in one read-only transaction.
import type { Postgres } from './client.js';

/** All that `read` finds is as of its first statement. Rejects when Postgres cannot be read. */
export async function readConsistently<Found>(
  sql: Postgres,
  read: (sql: Postgres) => Promise<Found>,
): Promise<Found> {
  const { found } = await sql.begin('isolation level repeatable read read only', async (tx) => ({
    found: await read(tx as unknown as Postgres),
  }));
  return found;
}
