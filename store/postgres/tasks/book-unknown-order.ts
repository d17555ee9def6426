// Books money for an unknown order into the platform's suspense account. One statement claims the rail's transaction and
// writes task, posting and balances, so it can be repeated.
import type { UnknownOrder } from '#actors/core/tasks/unknown-order.js';
import type { Postgres } from '../client.js';

/** false: the transaction is booked already, here or on a payment; nothing was done. */
export async function bookUnknownOrder(
  sql: Postgres,
  { taskId, rail, railTransactionId, details, posting }: UnknownOrder,
): Promise<boolean> {
  const { debit, credit, amountMinor, currency } = posting;
  const rows = await sql<{ isBooked: boolean }[]>`
    select book_unknown_order(${taskId}, ${rail}, ${railTransactionId}, ${details}, ${debit},
                              ${credit}, ${amountMinor.toString()}, ${currency}) as "isBooked"`;
  return rows[0]?.isBooked === true;
}
