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
