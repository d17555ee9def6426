// Our payouts that reconciliation compares: those that the rail's list names, and those that were sent on the day.
import type { PayoutState } from '#actors/core/payout/state.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { RailDay } from '#actors/core/tasks/rail-days.js';
import type { Postgres } from '../client.js';
import { buildPayoutState, type PayoutRow, selectPayout } from '../payouts/payout-row.js';

/** Finds LIVE payouts by their ids, whether a rail or an administrator paid them. */
export async function findPayouts(
  sql: Postgres,
  ids: readonly string[],
): Promise<Map<string, PayoutState>> {
  const rows = await sql<PayoutRow[]>`
    ${selectPayout(sql)} where id = any(${ids}::text[]) and environment = 'LIVE'`;
  return new Map(rows.map((row) => [row.id, buildPayoutState(row)]));
}

/** Loads up to `limit` payouts with ids after `after` that were sent to the rail on the day. */
export async function loadPayoutsOfDay(
  sql: Postgres,
  rail: RailName,
  { fromMs, toMs }: RailDay,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<PayoutState[]> {
  const rows = await sql<PayoutRow[]>`
    ${selectPayout(sql)}
     where rail = ${rail} and rail <> 'sandbox' and id > ${after}
       and sent_at >= to_timestamp(${fromMs / 1000}::float8)
       and sent_at < to_timestamp(${toMs / 1000}::float8)
     order by id limit ${limit}`;
  return rows.map(buildPayoutState);
}
