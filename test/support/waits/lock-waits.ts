import type { Postgres } from '#store/postgres/client.js';

/** Sessions of this database that wait for a lock. Other files use the cluster too. Not inside a transaction: it sees them once. */
export async function countLockWaits(sql: Postgres): Promise<number> {
  const waiting = await sql`
    select 1 from pg_stat_activity
     where wait_event_type = 'Lock' and datname = current_database()`;
  return waiting.length;
}
