// Adds the committed events of payments to the totals of their merchants. It reads the outbox with its own cursors, as the
// fan-out of webhooks does; one statement moves the cursors and adds the events, so each event counts once.
import type { Postgres } from '../client.js';
import { joinValues } from '../join-column.js';

export interface FollowedTotals {
  /** Events that the cursors of the partitions passed; 0: no event is new, or another process moves the cursors. */
  readonly events: number;
  /** More events may wait. */
  readonly hasMore: boolean;
}

/** Adds at most `most` events, or one of each partition. Without new events it writes nothing. */
export async function followTotals(
  sql: Postgres,
  partitions: readonly number[],
  most: number,
): Promise<FollowedTotals> {
  const rows = await sql<FollowedTotals[]>`
    select events, has_more as "hasMore"
      from follow_totals(${most}, split(${joinValues(partitions)})::smallint[])`;
  return rows[0] ?? { events: 0, hasMore: false };
}
