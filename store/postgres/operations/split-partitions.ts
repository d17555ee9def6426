// Multiplies the number of partitions (functions/partitions.sql, docs/decisions/0082-partitions-are-split.md).
import type { Postgres } from '../client.js';

/** `partitions.id` and the table `installation` allow no more. */
export const MAX_PARTITIONS = 1_024;

/**
 * All at once or not at all.
 * @throws an error of Postgres: 55P03 when a commit or a claim holds the table for a second, KS003 when the split is not allowed
 */
export async function splitPartitions(sql: Postgres, from: number, to: number): Promise<void> {
  await sql`select split_partitions(${from}::integer, ${to}::integer)`;
}

/** The payments processes that would go on with the number of their configuration. A paused one counts for a minute. */
export async function listUnawareProcesses(sql: Postgres): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from payments_processes
     where lease_until > now() - interval '1 minute' and not follows_splits order by name`;
  return rows.map(({ name }) => name);
}
