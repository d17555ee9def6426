// Reconciliations of all rails and the differences that each found, for administrators.
import type { Difference } from '#actors/core/tasks/rail-differences.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { Postgres } from '../client.js';
import type { FoundRows, Page, PagePlace } from '../page.js';

export interface ReconciliationRow {
  readonly rail: RailName;
  readonly day: string;
  readonly askedAt: Date;
  /** null: it is not done, or was asked for again. */
  readonly endedAt: Date | null;
  readonly matched: number;
  readonly missing: number;
  readonly orphan: number;
  readonly differing: number;
  readonly unanswered: number;
}

/** Newest day first, of the rail or of all (null). One row more than the page holds: another page follows. */
export async function listReconciliations(
  sql: Postgres,
  rail: string | null,
  { limit, after }: Page,
): Promise<FoundRows<ReconciliationRow & PagePlace>> {
  const nothing = sql``;
  const afterDay = after === null ? '' : new Date(after.atMs).toISOString().slice(0, 10);
  const rows = await sql<ReconciliationRow[]>`
    select r.rail, r.day::text, r.asked_at as "askedAt",
           case when r.ended_at >= r.asked_at then r.ended_at end as "endedAt",
           r.matched, r.unanswered, d.missing, d.orphan, d.differing
      from rail_reconciliations r
      cross join lateral (
        select count(*) filter (where kind = 'missing')::integer as missing,
               count(*) filter (where kind = 'orphan')::integer as orphan,
               count(*) filter (where kind = 'differing')::integer as differing
          from rail_differences f where f.rail = r.rail and f.day = r.day) d
     where true
     ${rail === null ? nothing : sql`and r.rail = ${rail}`}
     ${after === null ? nothing : sql`and (r.day, r.rail) < (${afterDay}::text::date, ${after.id})`}
     order by r.day desc, r.rail desc limit ${limit + 1}`;
  const listed = rows.map((row) => ({ ...row, id: row.rail, atMs: Date.parse(row.day) }));
  return { rows: listed, stoppedAt: null };
}

export interface DifferenceRow extends Omit<Difference, 'booking'> {
  readonly orderId: string;
  readonly paymentId: string | null;
  readonly foundAt: Date;
}

/** Lists the differences of a rail's day, in the order of their order ids, after the first `skipped`. */
export async function listDifferences(
  sql: Postgres,
  { rail, day }: { readonly rail: string; readonly day: string },
  { skipped, limit }: { readonly skipped: number; readonly limit: number },
): Promise<DifferenceRow[]> {
  return sql<DifferenceRow[]>`
    select order_id as "orderId", payment_id as "paymentId", kind, field, subject, ours, theirs,
           found_at as "foundAt"
      from rail_differences
     where rail = ${rail} and day = ${day}::text::date
     order by order_id, kind, field, subject offset ${skipped} limit ${limit}`;
}
