// The methods that rails offer now: one row per rail and method. Rails processes refresh their rows; gateways read them.
import type { RailName } from '#actors/core/rails/answers.js';
import type { Postgres } from '../client.js';

export interface AvailabilityRow {
  readonly rail: RailName;
  readonly method: string;
  readonly rank: number;
  readonly minAmount: string;
  readonly maxAmount: string;
  readonly isRefundable: boolean;
}

/** Refreshes these rows. Rows of other processes stay. */
export async function putAvailability(
  sql: Postgres,
  rows: readonly AvailabilityRow[],
): Promise<void> {
  const texts = (column: (row: AvailabilityRow) => string) => sql`${rows.map(column)}::text[]`;
  await sql`
    insert into rail_offers as o
           (rail, method, rank, min_amount, max_amount, is_refundable, seen_at)
    select rail, method, rank::smallint, min_amount::bigint, max_amount::bigint,
           is_refundable::boolean, now()
      from unnest(${texts((row) => row.rail)}, ${texts((row) => row.method)},
                  ${texts((row) => String(row.rank))}, ${texts((row) => row.minAmount)},
                  ${texts((row) => row.maxAmount)}, ${texts((row) => String(row.isRefundable))})
           as n (rail, method, rank, min_amount, max_amount, is_refundable)
     order by rail, method
    on conflict (rail, method) do update
       set rank = excluded.rank, min_amount = excluded.min_amount, max_amount = excluded.max_amount,
           is_refundable = excluded.is_refundable, seen_at = excluded.seen_at`;
}

/** Pauses charges of the rail for `restMs`; 0: resumes them. */
export async function pauseAvailability(
  sql: Postgres,
  rail: RailName,
  restMs: number,
): Promise<void> {
  await sql`
    update rail_offers
       set rests_until = case when ${restMs}::float8 = 0 then null
                              else now() + ${restMs}::float8 * interval '1 millisecond' end
     where rail = ${rail}`;
}

/** Loads the rows that are fresh and not paused, in the order to try them. */
export async function loadAvailability(
  sql: Postgres,
  silentMs: number,
): Promise<AvailabilityRow[]> {
  return sql<AvailabilityRow[]>`
    select rail, method, rank, min_amount::text as "minAmount", max_amount::text as "maxAmount",
           is_refundable as "isRefundable"
      from rail_offers
     where seen_at > now() - ${silentMs}::float8 * interval '1 millisecond'
       and coalesce(rests_until <= now(), true)
     order by method, rank, rail`;
}
