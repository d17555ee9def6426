// Refunds of all merchants, newest first, for administrators; what is shown of them stands in their payments.
import type { Environment, MerchantId, PaymentId, RefundId } from '#actors/core/ids.js';
import type { RefundStatus } from '#actors/core/statuses.js';
import type { Postgres } from '../client.js';
import type { FoundRows, Page, PagePlace } from '../page.js';

export interface AdminRefundFilter {
  /** Empty: all. */
  readonly statuses: readonly RefundStatus[];
  readonly merchantId: MerchantId | null;
  readonly environment: Environment | null;
}

export interface ListedRefund extends PagePlace {
  readonly id: RefundId;
  readonly snapshot: string;
}

export async function listAllRefunds(
  sql: Postgres,
  { statuses, merchantId, environment }: AdminRefundFilter,
  { limit, after }: Page,
): Promise<FoundRows<ListedRefund>> {
  const nothing = sql``;
  const rows = await sql<{ id: RefundId; createdAt: Date; snapshot: string }[]>`
    select r.id, r.created_at as "createdAt", p.snapshot
      from refunds r join payments p on p.id = r.payment_id
     where true
     ${statuses.length === 0 ? nothing : sql`and r.status = any(${[...statuses]}::text[])`}
     ${merchantId === null ? nothing : sql`and r.merchant_id = ${merchantId}`}
     ${environment === null ? nothing : sql`and r.environment = ${environment}`}
     ${after === null ? nothing : sql`and (r.created_at, r.id) < (${new Date(after.atMs)}, ${after.id})`}
     order by r.created_at desc, r.id desc limit ${limit + 1}`;
  const listed = rows.map((row) => ({ ...row, atMs: row.createdAt.getTime() }));
  return { rows: listed, stoppedAt: null };
}

/** Empty: there is no such refund. */
export async function findPaymentOfRefund(
  sql: Postgres,
  id: RefundId,
): Promise<{ paymentId: PaymentId; status: RefundStatus }[]> {
  return sql<{ paymentId: PaymentId; status: RefundStatus }[]>`
    select payment_id as "paymentId", status from refunds where id = ${id}`;
}
