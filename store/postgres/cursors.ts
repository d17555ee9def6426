// The cursors of those that follow the commits of payments: one row a partition, in a table of each follower.
import type { Postgres } from './client.js';

const CURSOR_TABLES = [
  'webhook_cursors',
  'payment_follower_cursors',
  'payment_totals_cursors',
  'payment_search_cursors',
] as const;

/** Inserts the missing cursor of each partition, for all followers. */
export async function ensureCursors(sql: Postgres): Promise<void> {
  for (const table of CURSOR_TABLES) {
    await sql`insert into ${sql(table)} (partition) select id from partitions on conflict do nothing`;
  }
}
