// Counts of open payouts, for metrics.
import type { Postgres } from '../client.js';

export interface OpenPayouts {
  /** By status: PENDING, PROCESSING, MANUAL_REQUIRED. */
  readonly byStatus: ReadonlyMap<string, number>;
  /** PROCESSING with an unknown last answer, or with an inquiry that is a minute overdue. */
  readonly unknown: number;
}

export async function countOpenPayouts(sql: Postgres): Promise<OpenPayouts> {
  const rows = await sql<{ status: string; count: number; unknown: number }[]>`
    select status, count(*)::integer as count,
           count(*) filter (where status = 'PROCESSING'
             and (is_unknown or due_at < now() - interval '1 minute'))::integer as unknown
      from payouts where status in ('PROCESSING', 'MANUAL_REQUIRED') group by status
     union all
    select 'PENDING', count(*)::integer, 0 from payouts where status = 'PENDING' and due_at is not null`;
  return {
    byStatus: new Map(rows.map(({ status, count }) => [status, count])),
    unknown: rows.reduce((sum, row) => sum + row.unknown, 0),
  };
}
