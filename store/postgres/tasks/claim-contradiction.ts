// The task of a failed refund that its rail reports as made. Either an administrator ends the refund, which the payment's
// actor decides, or an action of the task moves the money, which resolve_task decides. The claim keeps the two apart: from
// it on the task has no actions. An approval to end the refund claims it as long as it is approved (task_standing).
import type { Postgres } from '../client.js';

interface RefundKey {
  readonly paymentId: string;
  readonly refundId: string;
}

function matchTask(sql: Postgres, { paymentId, refundId }: RefundKey) {
  return sql`payment_id = ${paymentId} and kind = 'refund_contradicted'
             and details::jsonb ->> 'refundId' = ${refundId}`;
}

/** The task that has moved the money of a refund, and how. */
export interface MovedByTask {
  readonly taskId: string;
  readonly action: string;
}

/**
 * undefined: the refund may be ended. Otherwise the task that has moved its money. The second statement sees what the first
 * one waited for.
 */
export async function claimContradiction(
  sql: Postgres,
  refund: RefundKey,
): Promise<MovedByTask | undefined> {
  await sql`
    update operator_tasks set is_ending = true where ${matchTask(sql, refund)} and status = 'open'`;
  return findMovedByTask(sql, refund);
}

/** undefined: no task has moved the money of the refund. */
export async function findMovedByTask(
  sql: Postgres,
  refund: RefundKey,
): Promise<MovedByTask | undefined> {
  const [moved] = await sql<MovedByTask[]>`
    select id as "taskId", action from operator_tasks
     where ${matchTask(sql, refund)} and status = 'resolved' and action in ('debit', 'write_off')`;
  return moved;
}

/** The refund was not ended: the actions of its task are allowed again. */
export async function releaseContradiction(sql: Postgres, refund: RefundKey): Promise<void> {
  await sql`
    update operator_tasks set is_ending = false where ${matchTask(sql, refund)} and status = 'open'`;
}
