// A page of a merchant's refunds, and the look-up of one. The table finds them; what is shown of them stands
// in the snapshots of their payments.
import type { Environment, MerchantId, PaymentId, RefundId } from '../../../../actors/core/ids.js';
import type { RefundStatus } from '../../../../actors/core/payment/state.js';
import type { Postgres } from '../../client.js';
import type { Page, Place } from './page.js';

export interface RefundFilter {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly paymentId: PaymentId | null;
  /** Empty: all. */
  readonly statuses: readonly RefundStatus[];
}

/** `snapshot`: of its payment. */
export interface ListedRefund extends Place {
  readonly id: RefundId;
  readonly snapshot: string;
}

interface Row {
  readonly id: RefundId;
  readonly created_at: Date;
  readonly snapshot: string;
}

/** Newest first; one row more than the page holds tells that there is another page. */
export async function listRefunds(
  sql: Postgres,
  { merchantId, environment, paymentId, statuses }: RefundFilter,
  { limit, after }: Page,
): Promise<ListedRefund[]> {
  const nothing = sql``;
  const rows = await sql<Row[]>`
    select r.id, r.created_at, p.snapshot from refunds r join payments p on p.id = r.payment_id
     where r.merchant_id = ${merchantId} and r.environment = ${environment}
     ${paymentId === null ? nothing : sql`and r.payment_id = ${paymentId}`}
     ${statuses.length === 0 ? nothing : sql`and r.status = any(${[...statuses]}::text[])`}
     ${after === null ? nothing : sql`and (r.created_at, r.id) < (${new Date(after.atMs)}, ${after.id})`}
     order by r.created_at desc, r.id desc limit ${limit + 1}`;
  return rows.map(toListed);
}

/** Empty: the merchant has no such refund in this environment. */
export async function findRefund(
  sql: Postgres,
  id: RefundId,
  { merchantId, environment }: Pick<RefundFilter, 'merchantId' | 'environment'>,
): Promise<ListedRefund[]> {
  const rows = await sql<Row[]>`
    select r.id, r.created_at, p.snapshot from refunds r join payments p on p.id = r.payment_id
     where r.id = ${id} and r.merchant_id = ${merchantId} and r.environment = ${environment}`;
  return rows.map(toListed);
}

function toListed({ id, created_at: createdAt, snapshot }: Row): ListedRefund {
  return { id, atMs: createdAt.getTime(), snapshot };
}
