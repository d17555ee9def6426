// Results of reconciliations, for operators and metrics.
import type { Difference } from '#actors/core/tasks/rail-differences.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { Postgres } from '../client.js';
import type { ReconciliationStep } from './reconciliations.js';

export interface ReconciliationReport {
  readonly rail: RailName;
  readonly day: string;
  /** Whether it has ended since the last request. */
  readonly isEnded: boolean;
  readonly matched: number;
  readonly unanswered: number;
  readonly step: ReconciliationStep;
  readonly postponed: number;
}

/** Reads a day's reconciliations, by rail. */
export async function readReconciliations(
  sql: Postgres,
  day: string,
): Promise<ReconciliationReport[]> {
  return sql<ReconciliationReport[]>`
    select rail, day::text, coalesce(ended_at >= asked_at, false) as "isEnded", matched, unanswered,
           step, postponed
      from rail_reconciliations where day = ${day}::text::date order by rail`;
}

export interface ReportedDifference extends Omit<Difference, 'booking'> {
  readonly rail: RailName;
  readonly orderId: string;
  readonly paymentId: string | null;
}

/** Reads up to `limit` differences of a rail's day after `after`, in the order of their order ids. */
export async function readDifferences(
  sql: Postgres,
  { rail, day }: Pick<ReconciliationReport, 'rail' | 'day'>,
  after: ReportedDifference | null,
  limit: number,
): Promise<ReportedDifference[]> {
  return sql<ReportedDifference[]>`
    select rail, order_id as "orderId", payment_id as "paymentId", kind, field, subject, ours, theirs
      from rail_differences
     where rail = ${rail} and day = ${day}::text::date
       and (order_id, kind, field, subject) > (${after?.orderId ?? ''}, ${after?.kind ?? ''},
                                               ${after?.field ?? ''}, ${after?.subject ?? ''})
     order by order_id, kind, field, subject limit ${limit}`;
}

/** Lists the rails that a rails process offered within the last day. */
export async function listOfferedRails(sql: Postgres): Promise<RailName[]> {
  const rows = await sql<{ rail: RailName }[]>`
    select distinct rail from rail_offers where seen_at > now() - interval '1 day' order by rail`;
  return rows.map(({ rail }) => rail);
}

export interface ReconciliationFigures {
  readonly rail: RailName;
  /** Seconds since the end of the last reconciled day, or of the first planned one if none was reconciled. */
  readonly ageS: number;
  /** Counts of the last seven days, each in its last reconciliation. */
  readonly missing: number;
  readonly orphan: number;
  readonly differing: number;
  readonly unanswered: number;
}

export async function countReconciliations(sql: Postgres): Promise<ReconciliationFigures[]> {
  return sql<ReconciliationFigures[]>`
    select r.rail,
           extract(epoch from now() - (coalesce(max(r.day) filter (where r.ended_at is not null), min(r.day)) + 1)::timestamp
                                      at time zone 'Asia/Jakarta')::float8 as "ageS",
           coalesce(sum(r.unanswered) filter (where r.day > current_date - 8), 0)::integer as unanswered,
           max(d.missing)::integer as missing, max(d.orphan)::integer as orphan,
           max(d.differing)::integer as differing
      from rail_reconciliations r
      cross join lateral (
        select count(*) filter (where kind = 'missing') as missing,
               count(*) filter (where kind = 'orphan') as orphan,
               count(*) filter (where kind = 'differing') as differing
          from rail_differences f where f.rail = r.rail and f.day > current_date - 8) d
     where r.day > current_date - 400 group by r.rail`;
}
