// Snapshots of payments by id, for the actors and for reads.
import type { Postgres } from '../client.js';
import { joinColumn } from '../join-column.js';

/** Snapshot texts by id. Ids without a payment are left out. */
export async function loadSnapshots(
  sql: Postgres,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; snapshot: string }[]>`
    select id, snapshot from payments where id = any(split(${joinColumn(ids, (id) => id)}))`;
  return new Map(rows.map((row) => [row.id, row.snapshot]));
}
