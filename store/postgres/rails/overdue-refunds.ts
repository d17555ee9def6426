// Refunds that were given to their rail long ago and have no result. The call of the refund tells since when, whether it
// was sent or not.
import type { Postgres } from '../client.js';

export interface OverdueRefund {
  readonly paymentId: string;
  /** The refund's call to its rail. */
  readonly request: string;
}

/** Loads up to `limit` refunds that have waited for longer than `afterMs` and have no task for it, the oldest first. */
export async function loadOverdueRefunds(
  sql: Postgres,
  afterMs: number,
  limit: number,
): Promise<OverdueRefund[]> {
  return sql<OverdueRefund[]>`
    select c.payment_id as "paymentId", c.request
      from rail_calls c join refunds r on r.id = c.request::json ->> 'refundId'
     where c.operation = 'refund' and c.state <> 'answered' and r.status = 'asked'
       and c.requested_at <= now() - ${afterMs}::float8 * interval '1 millisecond'
       and not exists (select from operator_tasks t
                        where t.payment_id = c.payment_id and t.kind = 'refund_unresolved'
                          and t.details::jsonb ->> 'refundId' = r.id)
     order by c.requested_at limit ${limit}`;
}

export interface RefundTask {
  readonly id: string;
  readonly paymentId: string;
  /** JSON of texts. */
  readonly details: string;
}

/** A task that exists already is the same task. */
export async function openRefundTask(
  sql: Postgres,
  { id, paymentId, details }: RefundTask,
): Promise<void> {
  await sql`
    insert into operator_tasks (id, kind, payment_id, details, opened_at)
    values (${id}, 'refund_unresolved', ${paymentId}, ${details}, date_trunc('milliseconds', now()))
    on conflict (id) do nothing`;
}
