// Snapshots of payments: by id, for the actors and for reads, and those that are due.
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

/** A payment that expires, or whose hold or sandbox step ends, by the database's clock. */
export interface DuePayment {
  id: string;
  snapshot: string;
  /** With `id` the place in the order of due times, for the next page. */
  dueAt: string;
}

/** Up to `limit` due payments behind `after`, the longest due first. */
export async function loadDue(
  sql: Postgres,
  after: DuePayment | undefined,
  limit: number,
): Promise<DuePayment[]> {
  const dueAt = after?.dueAt ?? '-infinity';
  return sql<DuePayment[]>`
    select id, snapshot, due_at::text as "dueAt"
      from payments
     where due_at <= now() and (due_at, id) > (${dueAt}::text::timestamptz, ${after?.id ?? ''})
     order by due_at, id
     limit ${limit}`;
}
