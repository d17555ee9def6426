// How the control stores a payment: one transaction a request, as most services do it, or the same in one
// statement. Both are durable when they answer, and both know an idempotency key again.
import { createHash, randomUUID } from 'node:crypto';
import type postgres from 'postgres';

export interface Caller {
  merchantId: string;
  environment: string;
}

export interface CreateBody {
  amount: string;
  currency: string;
  description?: string | null;
  reference_id?: string | null;
  payment_method?: string | null;
  customer_name?: string | null;
  customer_email?: string | null;
  customer_phone?: string | null;
  success_url?: string | null;
  cancel_url?: string | null;
  metadata?: Record<string, string>;
  expires_in?: number;
}

/** A create as the HTTP side hands it on: authenticated and valid. */
export interface CreateRequest {
  caller: Caller;
  key: string;
  body: CreateBody;
}

export type CreateAnswer = { kind: 'created' | 'replayed'; payment: object } | { kind: 'conflict' };

export interface PaymentRow {
  id: string;
  merchant_id: string;
  environment: string;
  idempotency_key: string;
  fingerprint: Buffer;
  order_id: string;
  status: string;
  amount: string;
  currency: string;
  description: string | null;
  reference_id: string | null;
  payment_method: string | null;
  customer_name: string | null;
  customer_email: string | null;
  customer_phone: string | null;
  success_url: string | null;
  cancel_url: string | null;
  metadata: string;
  created_at: Date;
  expires_at: Date;
}

export type Created = { kind: 'created' | 'replayed'; row: PaymentRow } | { kind: 'conflict' };

/** `transaction`: begin, two inserts, commit. `statement`: both inserts in one statement. */
export type Way = 'transaction' | 'statement';

const EXPIRES_S = 900;

export function toRow(caller: Caller, key: string, body: CreateBody): PaymentRow {
  const now = Date.now();
  return {
    id: `pay_${randomUUID().replaceAll('-', '')}`,
    merchant_id: caller.merchantId,
    environment: caller.environment,
    idempotency_key: key,
    fingerprint: createHash('sha256').update(JSON.stringify(body)).digest(),
    order_id: randomUUID(),
    status: 'pending',
    amount: String(Number(body.amount)),
    currency: body.currency,
    description: body.description ?? null,
    reference_id: body.reference_id ?? null,
    payment_method: body.payment_method ?? null,
    customer_name: body.customer_name ?? null,
    customer_email: body.customer_email ?? null,
    customer_phone: body.customer_phone ?? null,
    success_url: body.success_url ?? null,
    cancel_url: body.cancel_url ?? null,
    metadata: JSON.stringify(body.metadata ?? {}),
    created_at: new Date(now),
    expires_at: new Date(now + (body.expires_in ?? EXPIRES_S) * 1000),
  };
}

export async function createPayment(
  sql: postgres.Sql,
  row: PaymentRow,
  way: Way,
): Promise<Created> {
  const isNew = way === 'transaction' ? await insertBoth(sql, row) : await insertAtOnce(sql, row);
  if (isNew) return { kind: 'created', row };
  const [found] = await sql<PaymentRow[]>`
    select * from payments where merchant_id = ${row.merchant_id}
       and environment = ${row.environment} and idempotency_key = ${row.idempotency_key}`;
  if (!found?.fingerprint.equals(row.fingerprint)) return { kind: 'conflict' };
  return { kind: 'replayed', row: found };
}

async function insertBoth(sql: postgres.Sql, row: PaymentRow): Promise<boolean> {
  return sql.begin(async (tx) => {
    const inserted = await tx`
      insert into payments ${tx({ ...row })}
      on conflict (merchant_id, environment, idempotency_key) do nothing returning id`;
    if (inserted.length === 0) return false;
    await tx`
      insert into outbox (payment_id, type, body, created_at)
      values (${row.id}, 'payment.created', ${eventOf(row)}, ${row.created_at})`;
    return true;
  });
}

async function insertAtOnce(sql: postgres.Sql, row: PaymentRow): Promise<boolean> {
  const inserted = await sql`
    with payment as (
      insert into payments ${sql({ ...row })}
      on conflict (merchant_id, environment, idempotency_key) do nothing returning id, created_at)
    insert into outbox (payment_id, type, body, created_at)
    select id, 'payment.created', ${eventOf(row)}, created_at from payment returning id`;
  return inserted.length > 0;
}

function eventOf(row: PaymentRow): string {
  const { id, status, amount, currency, reference_id, order_id } = row;
  return JSON.stringify({ id, status, amount, currency, reference_id, order_id });
}

export async function getPayment(
  sql: postgres.Sql,
  caller: Caller,
  id: string,
): Promise<PaymentRow | undefined> {
  const rows = await sql<PaymentRow[]>`
    select * from payments where id = ${id}
       and merchant_id = ${caller.merchantId} and environment = ${caller.environment}`;
  return rows[0];
}

export function answerOf(created: Created, baseUrl: string): CreateAnswer {
  if (created.kind === 'conflict') return created;
  return { kind: created.kind, payment: viewOf(created.row, baseUrl) };
}

export function viewOf(row: PaymentRow, baseUrl: string): object {
  return {
    id: row.id,
    object: 'payment',
    environment: row.environment,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    description: row.description,
    reference_id: row.reference_id,
    payment_method: row.payment_method,
    customer_name: row.customer_name,
    customer_email: row.customer_email,
    customer_phone: row.customer_phone,
    success_url: row.success_url,
    cancel_url: row.cancel_url,
    checkout_url: `${baseUrl}/checkout/${row.id}`,
    order_id: row.order_id,
    refunded_amount: '0',
    refundable_amount: '0',
    failure_code: null,
    late: false,
    metadata: JSON.parse(row.metadata) as object,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    paid_at: null,
    failed_at: null,
    cancelled_at: null,
    refunded_at: null,
  };
}
