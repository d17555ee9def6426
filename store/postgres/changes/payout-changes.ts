// Payouts that changed since the last reading. Their transactions commit in any order, so a reading keeps the snapshot it
// saw: the next one reads the events of transactions that were still open in it or began later, and each event once.
import type { MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import type { Change, Changes } from './change.js';

/** Events of one reading. */
const MAX_EVENTS = 2_000;

/** Which transactions were over: the text of a `pg_snapshot`. */
export type PayoutSnapshot = string;

export interface PayoutChanges extends Changes {
  readonly snapshot: PayoutSnapshot;
}

interface ReadingRow {
  readonly snapshot: PayoutSnapshot;
  /** The server counts from less than at the former reading: it is another one, which has lost commits. */
  readonly isBehind: boolean | null;
  /** null: none. */
  readonly changes: readonly Change[] | null;
}

/** Changes of these merchants since `after`; null: none, only the snapshot. */
export async function readPayoutChanges(
  sql: Postgres,
  after: PayoutSnapshot | null,
  merchants: readonly MerchantId[],
): Promise<PayoutChanges> {
  const [row] = await sql<[ReadingRow]>`
    select pg_current_snapshot()::text as snapshot,
           pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax(a.snapshot) as "isBehind",
           (select json_agg(e)
              from (select p.id, p.merchant_id as "merchantId", p.environment
                      from (select open as first, open as last from pg_snapshot_xip(a.snapshot) as open
                            union all
                            select pg_snapshot_xmax(a.snapshot), pg_snapshot_xmax(pg_current_snapshot())) as t
                     cross join lateral (select payout_id from payout_events
                                          where transaction between t.first and t.last offset 0) as e
                     cross join lateral (select * from payouts where id = e.payout_id offset 0) as p
                     where p.merchant_id = any(${[...merchants]}::text[])
                     limit ${MAX_EVENTS}) as e) as changes
      from (select ${after}::text::pg_snapshot as snapshot offset 0) as a`;
  const changes = row.changes ?? [];
  return {
    snapshot: row.snapshot,
    changes,
    isComplete: row.isBehind !== true && changes.length < MAX_EVENTS,
  };
}
