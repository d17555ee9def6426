// What follows from payments for those who asked for them: uses of payment links, invoices. Read from the outbox behind
// cursors of its own (migrations 0015, 0016), as the fan-out of webhooks is: cursors move in the statement that does
// what follows.
import type { Postgres } from '../client.js';

/** Events of one partition and statement. */
const EVENTS_PER_PARTITION = 256;

/** Makes sure that each partition has its cursor. */
export async function ensureFollowerCursors(sql: Postgres): Promise<void> {
  await sql`
    insert into payment_follower_cursors (partition)
    select id from partitions on conflict do nothing`;
}

/** How many events the cursors passed; 0: nothing is left, or another process is at it. */
export async function followPayments(sql: Postgres): Promise<number> {
  const rows = await sql<{ events: number }[]>`
    select follow_payments(${EVENTS_PER_PARTITION}) as events`;
  return rows[0]?.events ?? 0;
}
