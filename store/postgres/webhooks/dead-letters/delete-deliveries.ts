// Deliveries, their attempts and answers are kept for 30 days after they were delivered or died.
import type { Postgres } from '#store/postgres/client.js';

export const KEPT_DAYS = 30;

/** Removes up to `most` that are older; answers how many. What is pending stays. */
export async function deleteOldDeliveries(sql: Postgres, most: number): Promise<number> {
  const rows = await sql`
    delete from webhook_deliveries where id in (
      select d.id from webhook_endpoints w cross join lateral (
        select id from webhook_deliveries
         where endpoint_id = w.id and created_at < now() - ${KEPT_DAYS} * interval '1 day'
           and settled_at < now() - ${KEPT_DAYS} * interval '1 day'
         order by created_at limit ${most}) d
       limit ${most})
    returning id`;
  return rows.length;
}

/** Removes what nothing refers to any more: endpoints that were deleted, and jobs that were completed. */
export async function deleteUnreferenced(sql: Postgres): Promise<void> {
  await sql`
    with jobs as (
      delete from webhook_replays where completed_at < now() - ${KEPT_DAYS} * interval '1 day')
    delete from webhook_endpoints w
     where w.deleted_at < now() - ${KEPT_DAYS} * interval '1 day'
       and not exists (select from webhook_deliveries d where d.endpoint_id = w.id)`;
}
