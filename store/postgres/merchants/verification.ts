// Merchants for administrators: lists, verification decisions and LIVE.
import type { MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import type { MerchantRow } from './find-merchant.js';
import type { FoundRows, Page, PagePlace } from '../page.js';
import { selectActor, type Actor } from '../operations/audit.js';

export interface MerchantFilter {
  readonly status: string | null;
  /** A part of the business name, or the address of a user. */
  readonly search: string | null;
  /** null: all. */
  readonly ids: readonly string[] | null;
}

export type ListedMerchant = MerchantRow & PagePlace;

/** Lists merchants, newest first; reads one row more than the page holds to see if there is a next page. */
export async function listMerchants(
  sql: Postgres,
  { status, search, ids }: MerchantFilter,
  { limit, after }: Page,
): Promise<FoundRows<ListedMerchant>> {
  const nothing = sql``;
  const rows = await sql<MerchantRow[]>`
    select id, business_name as "businessName", verification_status as "verificationStatus",
           live_enabled as "isLiveEnabled", created_at as "createdAt"
      from merchants m
     where true
     ${status === null ? nothing : sql`and verification_status = ${status}`}
     ${search === null ? nothing : filterSearch(sql, search)}
     ${ids === null ? nothing : sql`and id = any(${ids.slice()}::text[])`}
     ${after === null ? nothing : sql`and (date_trunc('milliseconds', created_at), id) < (${new Date(after.atMs)}, ${after.id})`}
     order by date_trunc('milliseconds', created_at) desc, id desc limit ${limit + 1}`;
  const listed = rows.map((row) => ({ ...row, atMs: row.createdAt.getTime() }));
  return { rows: listed, stoppedAt: null };
}

function filterSearch(sql: Postgres, search: string) {
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`and (m.business_name ilike ${pattern}
              or exists (select 1 from users u where u.merchant_id = m.id
                                                 and u.email = ${search.toLowerCase()}))`;
}

export interface Decision {
  readonly merchantId: MerchantId;
  readonly status: 'APPROVED' | 'REJECTED' | 'SUSPENDED';
  readonly reason: string | null;
  /** JSON: reasons by field name. */
  readonly fieldReasons: string | null;
}

/** An object: the current status, which does not allow the change. */
export type DecisionResult = 'done' | 'missing' | { readonly status: string };

export async function decideVerification(
  sql: Postgres,
  actor: Actor,
  { merchantId, status, reason, fieldReasons }: Decision,
): Promise<DecisionResult> {
  const rows = await sql<{ result: string }[]>`
    with ${selectActor(sql, actor)}
    select decide_verification(${merchantId}, ${status}, ${reason}, ${fieldReasons}) as result
      from acting where is_set`;
  return parseResult(rows[0]?.result);
}

export async function setLive(
  sql: Postgres,
  actor: Actor,
  merchantId: MerchantId,
  isEnabled: boolean,
): Promise<DecisionResult> {
  const rows = await sql<{ result: string }[]>`
    with ${selectActor(sql, actor)}
    select set_live(${merchantId}, ${isEnabled}) as result from acting where is_set`;
  return parseResult(rows[0]?.result);
}

function parseResult(result = ''): DecisionResult {
  return result === 'done' || result === 'missing' ? result : { status: result };
}
