// Operator tasks of merchants whose balance is below zero (follow_negative_balances in store/postgres/functions/tasks.sql).
import type { Postgres } from '../client.js';

/** An acknowledged balance that is still negative becomes a task again after this time. */
const REMIND_AFTER = '7 days';

/** Opens and closes tasks by the present balances of LIVE. It may run in several processes at once. */
export async function followNegativeBalances(sql: Postgres): Promise<void> {
  await sql`select follow_negative_balances(${REMIND_AFTER}::text::interval)`;
}
