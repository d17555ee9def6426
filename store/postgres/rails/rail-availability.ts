// The methods that rails offer now: one row per rail and method. Rails processes refresh their rows; gateways read them.
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { Postgres } from '../client.js';

export interface AvailabilityRow {
  readonly rail: RailName;
  readonly method: string;
  readonly rank: number;
  readonly minAmount: string;
  readonly maxAmount: string;
  readonly maxExpiresInS: number;
  readonly isRefundable: boolean;
}

export interface LoadedAvailability extends AvailabilityRow {
  /** The rail takes charges now: its row is fresh, and the rail is not paused. */
  readonly isTaken: boolean;
}

/** A row that no rails process has refreshed for so long belongs to a rail that is configured no more. */
const CONFIGURED_WITHIN = '1 day';

/** Refreshes these rows. Rows of other processes stay. */
export async function putAvailability(
  sql: Postgres,
  rows: readonly AvailabilityRow[],
): Promise<void> {
  const texts = (column: (row: AvailabilityRow) => string) => sql`${rows.map(column)}::text[]`;
  await sql`
    insert into rail_offers as o
           (rail, method, rank, min_amount, max_amount, max_expires_in, is_refundable, seen_at)
    select rail, method, rank::smallint, min_amount::bigint, max_amount::bigint,
           max_expires_in::integer, is_refundable::boolean, now()
      from unnest(${texts((row) => row.rail)}, ${texts((row) => row.method)},
                  ${texts((row) => String(row.rank))}, ${texts((row) => row.minAmount)},
                  ${texts((row) => row.maxAmount)}, ${texts((row) => String(row.maxExpiresInS))},
                  ${texts((row) => String(row.isRefundable))})
           as n (rail, method, rank, min_amount, max_amount, max_expires_in, is_refundable)
     order by rail, method
    on conflict (rail, method) do update
       set rank = excluded.rank, min_amount = excluded.min_amount, max_amount = excluded.max_amount,
           max_expires_in = excluded.max_expires_in, is_refundable = excluded.is_refundable,
           seen_at = excluded.seen_at`;
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

/** Loads the rows of configured rails, in the order to try them. */
export async function loadAvailability(
  sql: Postgres,
  silentMs: number,
): Promise<LoadedAvailability[]> {
  return sql<LoadedAvailability[]>`
    select rail, method, rank, min_amount::text as "minAmount", max_amount::text as "maxAmount",
           max_expires_in as "maxExpiresInS", is_refundable as "isRefundable",
           seen_at > now() - ${silentMs}::float8 * interval '1 millisecond'
             and coalesce(rests_until <= now(), true) as "isTaken"
      from rail_offers
     where seen_at > now() - ${CONFIGURED_WITHIN}::text::interval
     order by method, rank, rail`;
}
