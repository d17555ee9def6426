// Payments to which something happens by itself now: expiry, the end of a hold, a step of the sandbox.
import type { Postgres } from '../client.js';

export interface DuePayment {
  id: string;
  snapshot: string;
  /** With `id` the place in the order of due times, for the next page. */
  dueAt: string;
}

/** Up to `limit` due payments behind `after`, the longest due first; by the database's clock. */
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
