// The payments and payouts that deliveries are about. Deliveries are found by the ids of their events, which begin with the
// characters of the id of the payment or payout.
import type { Environment, MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';

/** Of payments and of payouts with one reference: the newest. */
export const MAX_SUBJECTS = 100;
/** Payouts have no index by reference. A merchant makes few of them. */
const PAYOUTS_SCANNED = 10_000;

export interface ReferenceKey {
  readonly merchantId: MerchantId;
  /** null: both. */
  readonly environment: Environment | null;
  readonly referenceId: string;
}

/** The ids of the payments and payouts with this reference. */
export async function findSubjects(
  sql: Postgres,
  { merchantId, environment, referenceId }: ReferenceKey,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    (select id from payments
      where reference_id = ${referenceId} and merchant_id = ${merchantId}
        and (${environment}::text is null or environment = ${environment})
      order by created_at desc, id desc limit ${MAX_SUBJECTS})
    union all
    (select p.id from (values ('TEST'), ('LIVE')) as e (environment) cross join lateral (
        select id, reference_id from payouts
         where merchant_id = ${merchantId} and environment = e.environment
         order by created_at desc, id desc limit ${PAYOUTS_SCANNED}) as p
      where p.reference_id = ${referenceId}
        and (${environment}::text is null or e.environment = ${environment})
      limit ${MAX_SUBJECTS})`;
  return rows.map(({ id }) => id);
}

/** All columns of the deliveries about these payments and payouts, each with few events. */
export const selectDeliveriesOf = (sql: Postgres, subjectIds: readonly string[]) => sql`
  select d.* from unnest(${subjectIds.slice()}::text[]) as s (id) cross join lateral (
    select * from webhook_deliveries
     where event_id > 'evt_' || split_part(s.id, '_', 2)
       and event_id < 'evt_' || split_part(s.id, '_', 2) || '~'
       and s.id in (payment_id, payout_id)) as d`;

/** The condition that a delivery `d` is about a payment or payout of this amount. */
export const filterAmount = (sql: Postgres, amount: string) => sql`
  (exists (select from payments where id = d.payment_id and amount = ${amount}::bigint)
   or exists (select from payouts where id = d.payout_id and amount = ${amount}::bigint))`;
