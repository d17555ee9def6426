// Updates payment links and invoices from the events of their payments. It reads the outbox with its own cursors, as the
// fan-out of webhooks does; one statement moves the cursors and stores the updates.
import type { Postgres } from '../client.js';
import { joinValues } from '../join-column.js';

/** Events of one partition and statement. */
const EVENTS_PER_PARTITION = 256;

/** The number of events that the cursors of the partitions passed; 0: no backlog, or another process follows them. */
export async function followPayments(
  sql: Postgres,
  partitions: readonly number[],
): Promise<number> {
  const rows = await sql<{ events: number }[]>`
    select follow_payments(${EVENTS_PER_PARTITION},
                           split(${joinValues(partitions)})::smallint[]) as events`;
  return rows[0]?.events ?? 0;
}

export interface FollowerBacklog {
  /** Counted up to a bound. */
  readonly events: number;
  /** Age of the oldest event, in seconds; 0: no backlog. */
  readonly oldestS: number;
}

const COUNT_LIMIT = 10_000;

/** Counts the events behind the cursors. */
export async function countUnfollowed(sql: Postgres): Promise<FollowerBacklog> {
  const rows = await sql<FollowerBacklog[]>`
    select coalesce(sum(o.events), 0)::int as events,
           coalesce(extract(epoch from now() - min(o.oldest)), 0)::float8 as "oldestS"
      from payment_follower_cursors c cross join lateral (
        select count(*) as events, min(x.at) as oldest from (
          select e.at from payment_events e
           where e.partition = c.partition and e.envelope is not null
             and (e.position_ms, e.position_seq, e.index) > (c.position_ms, c.position_seq, c.index)
           order by e.position_ms, e.position_seq, e.index limit ${COUNT_LIMIT}) x) o`;
  return rows[0] ?? { events: 0, oldestS: 0 };
}
