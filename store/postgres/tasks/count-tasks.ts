// Counts of open operator tasks, for metrics. Tasks of TEST payments and payouts are left out.
import type { Postgres } from '../client.js';

export interface OpenTasks {
  readonly kind: string;
  readonly count: number;
  /** The age of the oldest one. */
  readonly ageS: number;
}

export async function countOpenTasks(sql: Postgres): Promise<OpenTasks[]> {
  return sql<OpenTasks[]>`
    select t.kind, count(*)::integer as count,
           extract(epoch from now() - min(t.opened_at))::float8 as "ageS"
      from operator_tasks t left join payments p on p.id = t.payment_id
      left join payouts o on o.id = t.payout_id
     where t.status = 'open' and coalesce(p.environment, o.environment, 'LIVE') = 'LIVE'
     group by t.kind`;
}
