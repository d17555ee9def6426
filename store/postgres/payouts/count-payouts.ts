// What payouts are under way, for the metrics.
import type { Postgres } from '../client.js';

export interface OpenPayouts {
  /** By status: PENDING, PROCESSING, MANUAL_REQUIRED. */
  readonly byStatus: ReadonlyMap<string, number>;
  /** PROCESSING, and the rail's last answer was none, or nobody has looked for a minute though it is due. */
  readonly unknown: number;
}

export async function countOpenPayouts(sql: Postgres): Promise<OpenPayouts> {
  const rows = await sql<{ status: string; count: number; unknown: number }[]>`
    select status, count(*)::integer as count,
           count(*) filter (where status = 'PROCESSING'
             and (is_unknown or due_at < now() - interval '1 minute'))::integer as unknown
      from payouts where status in ('PENDING', 'PROCESSING', 'MANUAL_REQUIRED') group by status`;
  return {
    byStatus: new Map(rows.map(({ status, count }) => [status, count])),
    unknown: rows.reduce((sum, row) => sum + row.unknown, 0),
  };
}
