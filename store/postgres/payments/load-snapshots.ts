// Snapshots by id: for the actors, which fold on them, and for reads, which show them.
import type { Postgres } from '../client.js';

/** Answers the snapshot text of each id that is stored; ids that are not are left out. */
export async function loadSnapshots(
  sql: Postgres,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; snapshot: string }[]>`
    select id, snapshot from payments where id = any(split(${ids.join('\u001f')}))`;
  return new Map(rows.map((row) => [row.id, row.snapshot]));
}
