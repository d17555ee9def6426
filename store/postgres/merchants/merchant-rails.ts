// Merchant-specific rails by payment method. A trigger records changes in the audit log.
import type { MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import { selectActor, type Actor } from '../operations/audit.js';

export interface MerchantRails {
  readonly method: string;
  /** In the order to try them. */
  readonly rails: readonly string[];
}

export async function listMerchantRails(
  sql: Postgres,
  merchantId: MerchantId,
): Promise<MerchantRails[]> {
  return sql<MerchantRails[]>`
    select method, to_json(rails) as rails from merchant_rail_routes
     where merchant_id = ${merchantId} order by method`;
}

/** Whether a merchant takes LIVE payments now, and the rails that an administrator has set for it, by method. */
export interface LiveTerms {
  readonly takesPayments: boolean;
  readonly routes: ReadonlyMap<string, readonly string[]>;
}

/** One query, because every LIVE create waits for it. */
export async function loadLiveTerms(sql: Postgres, merchantId: string): Promise<LiveTerms> {
  const rows = await sql<{ takesPayments: boolean; method: string | null; rails: string[] }[]>`
    select takes_payments(m.id, 'LIVE') as "takesPayments", r.method, to_json(r.rails) as rails
      from (select ${merchantId}::text as id) m
      left join merchant_rail_routes r on r.merchant_id = m.id`;
  const routes = rows.flatMap(({ method, rails }) =>
    method === null ? [] : [[method, rails] as const],
  );
  return { takesPayments: rows[0]?.takesPayments === true, routes: new Map(routes) };
}

/** Sets the rails of a method; an empty list deletes them. Returns false if there is no such merchant. */
export async function setMerchantRails(
  sql: Postgres,
  actor: Actor,
  { merchantId, method, rails }: MerchantRails & { readonly merchantId: MerchantId },
): Promise<boolean> {
  const rows = await sql`
    with ${selectActor(sql, actor)},
    merchant as (select id from merchants where id = ${merchantId}),
    ended as (
      delete from merchant_rail_routes r using acting
       where r.merchant_id = ${merchantId} and r.method = ${method} and ${rails.length === 0}),
    begun as (
      insert into merchant_rail_routes (merchant_id, method, rails)
      select m.id, ${method}, ${[...rails]}::text[] from merchant m, acting
       where ${rails.length > 0}
      on conflict (merchant_id, method) do update set rails = excluded.rails)
    select from merchant`;
  return rows.length > 0;
}
