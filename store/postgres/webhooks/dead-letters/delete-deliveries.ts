// Retention: a delivery and its attempts are deleted 30 days after it was delivered or died.
import type { Postgres } from '#store/postgres/client.js';

export const KEPT_DAYS = 30;

/** Deletes up to `limit` old deliveries, never pending ones; returns how many. */
export async function deleteOldDeliveries(sql: Postgres, limit: number): Promise<number> {
  const rows = await sql`
    delete from webhook_deliveries where id in (
      select d.id from webhook_endpoints w cross join lateral (
        select id from webhook_deliveries
         where endpoint_id = w.id and created_at < now() - ${KEPT_DAYS} * interval '1 day'
           and settled_at < now() - ${KEPT_DAYS} * interval '1 day'
         order by created_at limit ${limit}) d
       limit ${limit})
    returning id`;
  return rows.length;
}

/** Deletes completed replays, and deleted endpoints that have no deliveries any more. */
export async function deleteUnreferenced(sql: Postgres): Promise<void> {
  await sql`
    with jobs as (
      delete from webhook_replays where completed_at < now() - ${KEPT_DAYS} * interval '1 day')
    delete from webhook_endpoints w
     where w.deleted_at < now() - ${KEPT_DAYS} * interval '1 day'
       and not exists (select from webhook_deliveries d where d.endpoint_id = w.id)`;
}
