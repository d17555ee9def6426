// A page of a merchant's payments. The index is walked backwards from the place of the cursor, so a page
// costs the same however deep it lies.
import type { Environment, MerchantId } from '../../../../actors/core/ids.js';
import type { ShownStatus } from '../../../../actors/core/schemas/payment.js';
import type { Postgres } from '../../client.js';
import type { Page, Place } from './page.js';

export interface PaymentFilter {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  /** `creating` is found as pending, as it is shown. */
  readonly status: ShownStatus | null;
  readonly referenceId: string | null;
  readonly paymentMethod: string | null;
  /** Included. */
  readonly createdFromMs: number | null;
  /** Not included. */
  readonly createdToMs: number | null;
}

export interface ListedPayment extends Place {
  readonly snapshot: string;
}

/** Newest first; one row more than the page holds tells that there is another page. */
export async function listPayments(
  sql: Postgres,
  filter: PaymentFilter,
  { limit, after }: Page,
): Promise<ListedPayment[]> {
  const { merchantId, environment, referenceId, paymentMethod } = filter;
  const { createdFromMs: fromMs, createdToMs: toMs } = filter;
  const nothing = sql``;
  const rows = await sql<{ id: string; created_at: Date; snapshot: string }[]>`
    select id, created_at, snapshot from payments
     where merchant_id = ${merchantId} and environment = ${environment}
     ${ofStatus(sql, filter.status)}
     ${referenceId === null ? nothing : sql`and reference_id = ${referenceId}`}
     ${paymentMethod === null ? nothing : sql`and payment_method = ${paymentMethod}`}
     ${fromMs === null ? nothing : sql`and created_at >= ${new Date(fromMs)}`}
     ${toMs === null ? nothing : sql`and created_at < ${new Date(toMs)}`}
     ${after === null ? nothing : sql`and (created_at, id) < (${new Date(after.atMs)}, ${after.id})`}
     order by created_at desc, id desc limit ${limit + 1}`;
  return rows.map((row) => ({
    id: row.id,
    atMs: row.created_at.getTime(),
    snapshot: row.snapshot,
  }));
}

/** Literals, not parameters: plans are generic, and a partial index is used only for what is known to be in it. */
function ofStatus(sql: Postgres, status: ShownStatus | null) {
  switch (status) {
    case null:
      return sql``;
    case 'pending':
      return sql`and status in ('creating', 'pending')`;
    case 'paid':
      return sql`and status = 'paid'`;
    case 'failed':
      return sql`and status = 'failed'`;
    case 'cancelled':
      return sql`and status = 'cancelled'`;
    case 'refunded':
      return sql`and status = 'refunded'`;
  }
}
