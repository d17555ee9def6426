// Lists of refunds, newest first: of a merchant, and of all merchants for administrators. The table finds them; their
// content is in the snapshots of their payments.
import type { Environment, MerchantId, PaymentId, RefundId } from '#actors/core/ids.js';
import type { RefundStatus } from '#actors/core/statuses.js';
import type { Postgres } from '../client.js';
import { type FoundRows, buildScanLimit, type Page, type PagePlace } from '../page.js';

export interface RefundFilter {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly paymentId: PaymentId | null;
  /** Empty: all. */
  readonly statuses: readonly RefundStatus[];
}

export interface ListedRefund extends PagePlace {
  readonly id: RefundId;
  /** Of its payment. */
  readonly snapshot: string;
}

interface Row {
  readonly id: RefundId;
  readonly created_at: Date;
  readonly snapshot: string;
}

export async function listRefunds(
  sql: Postgres,
  { merchantId, environment, paymentId, statuses }: RefundFilter,
  { limit, after }: Page,
): Promise<FoundRows<ListedRefund>> {
  const bound = buildScanLimit(sql);
  const nothing = sql``;
  const among = sql`merchant_id = ${merchantId} and environment = ${environment}
     ${paymentId === null ? nothing : sql`and payment_id = ${paymentId}`}
     ${after === null ? nothing : sql`and (created_at, id) < (${new Date(after.atMs)}, ${after.id})`}`;
  const rows = await sql<Row[]>`
    select r.id, r.created_at, p.snapshot from (
      select id, created_at, payment_id, status from refunds
       where ${among} order by created_at desc, id desc ${bound.rows}) as r
      join payments p on p.id = r.payment_id
     ${statuses.length === 0 ? nothing : sql`where r.status = any(${[...statuses]}::text[])`}
     order by r.created_at desc, r.id desc limit ${limit + 1}`;
  const found = rows.map(buildListedRefund);
  if (rows.length > limit || statuses.length === 0) return { rows: found, stoppedAt: null };
  const [last] = await sql<Omit<Row, 'snapshot'>[]>`
    select id, created_at from refunds
     where ${among} order by created_at desc, id desc ${bound.last}`;
  return { rows: found, stoppedAt: last === undefined ? null : buildPlace(last) };
}

export interface AdminRefundFilter {
  /** Empty: all. */
  readonly statuses: readonly RefundStatus[];
  readonly merchantId: MerchantId | null;
  readonly environment: Environment | null;
}

export async function listAllRefunds(
  sql: Postgres,
  { statuses, merchantId, environment }: AdminRefundFilter,
  { limit, after }: Page,
): Promise<FoundRows<ListedRefund>> {
  const nothing = sql``;
  const rows = await sql<Row[]>`
    select r.id, r.created_at, p.snapshot
      from refunds r join payments p on p.id = r.payment_id
     where true
     ${statuses.length === 0 ? nothing : sql`and r.status = any(${[...statuses]}::text[])`}
     ${merchantId === null ? nothing : sql`and r.merchant_id = ${merchantId}`}
     ${environment === null ? nothing : sql`and r.environment = ${environment}`}
     ${after === null ? nothing : sql`and (r.created_at, r.id) < (${new Date(after.atMs)}, ${after.id})`}
     order by r.created_at desc, r.id desc limit ${limit + 1}`;
  return { rows: rows.map(buildListedRefund), stoppedAt: null };
}

export interface PaymentOfRefund {
  readonly paymentId: PaymentId;
  /** Of the refund. */
  readonly status: RefundStatus;
  readonly snapshot: string;
}

/** Empty: the refund does not exist. */
export async function findPaymentOfRefund(sql: Postgres, id: RefundId): Promise<PaymentOfRefund[]> {
  return sql<PaymentOfRefund[]>`
    select r.payment_id as "paymentId", r.status, p.snapshot
      from refunds r join payments p on p.id = r.payment_id where r.id = ${id}`;
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
  return rows.map(buildListedRefund);
}

function buildListedRefund(row: Row): ListedRefund {
  return { ...buildPlace(row), snapshot: row.snapshot };
}

function buildPlace({
  id,
  created_at: createdAt,
}: Omit<Row, 'snapshot'>): PagePlace & { id: RefundId } {
  return { id, atMs: createdAt.getTime() };
}
