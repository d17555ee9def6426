// Ends of refunds by hand. One administrator's is a row of refund_ends, that of two persons an approval. The payments
// process asks for one of both before it ends a refund (actors/core/approvals/refund-end.ts).
import type { RefundEnd, StoredRefundEnd } from '#actors/core/approvals/refund-end.js';
import type { Environment, MerchantId } from '#actors/core/ids.js';
import { type Actor, nameActor, selectActor } from '../operations/audit.js';
import type { Postgres } from '../client.js';

export interface DecidedRefundEnd {
  readonly end: RefundEnd;
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly amountMinor: bigint;
}

/** Names the cause of an approval to end a refund, too. */
export const nameRefundEnd = ({
  refundId,
  externalReference,
}: Pick<RefundEnd, 'refundId' | 'externalReference'>): string => `${refundId}:${externalReference}`;

/** The end by one administrator. A repeat keeps the row of the first. */
export async function storeRefundEnd(
  sql: Postgres,
  actor: Actor,
  { end, merchantId, environment, amountMinor }: DecidedRefundEnd,
): Promise<void> {
  const { type, paymentId, refundId, externalReference } = end;
  await sql`
    with ${selectActor(sql, actor)}
    insert into refund_ends (type, payment_id, refund_id, external_reference, merchant_id, environment, amount, decided_by)
    select ${type}, ${paymentId}, ${refundId}, ${externalReference}, ${merchantId}, ${environment},
           ${amountMinor.toString()}::text::bigint, ${actor.userId}
      from acting where is_set
    on conflict do nothing`;
}

/**
 * Its command was refused. Without the row, the payments process refuses the command also when it arrives again while the
 * refund is disputed, as it does for an approval that was refused.
 */
export async function withdrawRefundEnd(
  sql: Postgres,
  actor: Actor,
  { type, refundId, externalReference }: RefundEnd,
): Promise<void> {
  await sql`
    with ${nameActor(sql, actor)}
    delete from refund_ends using acting
     where is_set and refund_id = ${refundId} and type = ${type}
       and external_reference = ${externalReference}`;
}

interface Row extends Omit<StoredRefundEnd, 'amountMinor'> {
  readonly amount: string;
}

/** The rows that may allow these ends, each with the task that has moved the money of its refund. */
export async function findRefundEnds(
  sql: Postgres,
  ends: readonly RefundEnd[],
): Promise<StoredRefundEnd[]> {
  const refundIds = [...new Set(ends.map(({ refundId }) => refundId))];
  const references = [...new Set(ends.map(nameRefundEnd))];
  const rows = await sql<Row[]>`
    with ends as (
      select type, payment_id, refund_id, external_reference, environment, amount, 1 as persons
        from refund_ends where refund_id = any(${refundIds}::text[])
      union all
      select case kind when 'refund_completion' then 'complete_refund' else 'fail_refund' end,
             payment_id, refund_id, request::jsonb ->> 'external_reference', environment, amount, 2
        from approvals
       where kind in ('refund_completion', 'refund_failure') and reference = any(${references}::text[])
         and status in ('approved', 'applied') and decided_by <> proposed_by)
    select type, payment_id as "paymentId", refund_id as "refundId",
           external_reference as "externalReference", environment, amount::text as amount, persons,
           (select t.id from operator_tasks t
             where t.payment_id = ends.payment_id and t.kind = 'refund_contradicted'
               and t.details::jsonb ->> 'refundId' = ends.refund_id
               and t.status = 'resolved' and t.action in ('debit', 'write_off')
             limit 1) as "movedBy"
      from ends`;
  return rows.map(({ amount, ...row }) => ({ ...row, amountMinor: BigInt(amount) }));
}
