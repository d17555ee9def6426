// Lists payouts of one merchant or of all, newest first, and finds one by its id.
import type { Environment, MerchantId, PayoutId } from '#actors/core/ids.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import type { PayoutStatus } from '#actors/core/statuses.js';
import type { Postgres } from '../client.js';
import { type FoundRows, buildScanLimit, type Page, type PagePlace } from '../page.js';
import { type PayoutRow, selectPayout, buildPayoutState } from './payout-row.js';

export interface PayoutFilter {
  /** null: all merchants; both environments. */
  readonly tenant: {
    readonly merchantId: MerchantId | null;
    readonly environment: Environment | null;
  };
  readonly status: PayoutStatus | null;
  readonly referenceId: string | null;
  /** Included. */
  readonly createdFromMs: number | null;
  /** Not included. */
  readonly createdToMs: number | null;
}

export interface ListedPayout extends PagePlace {
  readonly state: PayoutState;
}

export async function listPayouts(
  sql: Postgres,
  filter: PayoutFilter,
  { limit, after }: Page,
): Promise<FoundRows<ListedPayout>> {
  const { status, referenceId } = filter;
  const nothing = sql``;
  const bound = buildScanLimit(sql);
  const among = filterByIndex(sql, filter, after);
  const rows = await sql<PayoutRow[]>`
    select * from (
      ${selectPayout(sql)} where ${among} order by created_at desc, id desc ${bound.rows}) as scanned
     where true ${status === null ? nothing : sql`and status = ${status}`}
                ${referenceId === null ? nothing : sql`and reference_id = ${referenceId}`}
     order by created_at desc, id desc limit ${limit + 1}`;
  const found = rows.map(buildListedPayout);
  const isWhole = status === null && referenceId === null;
  if (rows.length > limit || isWhole) return { rows: found, stoppedAt: null };
  const [last] = await sql<PayoutRow[]>`
    ${selectPayout(sql)} where ${among} order by created_at desc, id desc ${bound.last}`;
  return { rows: found, stoppedAt: last === undefined ? null : buildListedPayout(last) };
}

/** The conditions that an index serves, in the order of the list. */
function filterByIndex(
  sql: Postgres,
  { tenant, createdFromMs: fromMs, createdToMs: toMs }: PayoutFilter,
  after: PagePlace | null,
) {
  const nothing = sql``;
  const { merchantId, environment } = tenant;
  return sql`true
     ${merchantId === null ? nothing : sql`and merchant_id = ${merchantId}`}
     ${environment === null ? nothing : sql`and environment = ${environment}`}
     ${fromMs === null ? nothing : sql`and created_at >= ${new Date(fromMs)}`}
     ${toMs === null ? nothing : sql`and created_at < ${new Date(toMs)}`}
     ${after === null ? nothing : sql`and (created_at, id) < (${new Date(after.atMs)}, ${after.id})`}`;
}

function buildListedPayout(row: PayoutRow): ListedPayout {
  return { id: row.id, atMs: row.created_at.getTime(), state: buildPayoutState(row) };
}

/** Returns an empty list when the payout does not exist. */
export async function findPayout(sql: Postgres, id: PayoutId): Promise<PayoutState[]> {
  const rows = await sql<PayoutRow[]>`${selectPayout(sql)} where id = ${id}`;
  return rows.map(buildPayoutState);
}
