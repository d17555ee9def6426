// Counts of open operator tasks, for metrics. Tasks of TEST are left out.
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
      from operator_tasks t
     where t.environment = 'LIVE' and t.status = 'open'
     group by t.kind`;
}
