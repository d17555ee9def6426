// Lists operator tasks and finds one by its id, each with the current state of its subject (task_standing in
// store/postgres/functions/tasks.sql).
import type { Environment, MerchantId, PaymentId } from '#actors/core/ids.js';
import type { TaskAction } from '#actors/core/tasks/kinds.js';
import type { Postgres } from '../client.js';
import type { FoundRows, Page, PagePlace } from '../page.js';

export const TASK_STATUSES = ['open', 'resolved'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export interface TaskRow {
  readonly id: string;
  readonly kind: string;
  readonly status: TaskStatus;
  /** JSON of texts. */
  readonly details: string;
  readonly standing: string;
  readonly paymentId: PaymentId | null;
  /** null: the task names no payment, payout or merchant. */
  readonly merchantId: MerchantId | null;
  readonly environment: Environment;
  readonly openedAt: Date;
  readonly resolvedAt: Date | null;
  /** null: the task is open, or was closed by an event. */
  readonly action: TaskAction | null;
  readonly note: string | null;
  readonly externalReference: string | null;
  readonly targetMerchant: MerchantId | null;
  readonly targetPayment: PaymentId | null;
  readonly resolvedBy: string | null;
}

export interface TaskFilter {
  readonly environment: Environment;
  readonly status: TaskStatus | null;
  readonly kind: string | null;
  readonly merchantId: MerchantId | null;
}

const selectColumns = (sql: Postgres) => sql`
  t.id, t.kind, t.status, t.details, task_standing(t) as standing, t.payment_id as "paymentId",
  t.merchant_id as "merchantId", t.environment, t.opened_at as "openedAt",
  t.resolved_at as "resolvedAt", t.action, t.note, t.external_reference as "externalReference",
  t.target_merchant as "targetMerchant", t.target_payment as "targetPayment",
  t.resolved_by as "resolvedBy"`;

/** Newest first. One row more than the page holds: another page follows. */
export async function listTasks(
  sql: Postgres,
  { environment, status, kind, merchantId }: TaskFilter,
  { limit, after }: Page,
): Promise<FoundRows<TaskRow & PagePlace>> {
  const nothing = sql``;
  const rows = await sql<TaskRow[]>`
    select ${selectColumns(sql)}
      from operator_tasks t
     where t.environment = ${environment}
     ${status === null ? nothing : sql`and t.status = ${status}`}
     ${kind === null ? nothing : sql`and t.kind = ${kind}`}
     ${merchantId === null ? nothing : sql`and t.merchant_id = ${merchantId}`}
     ${after === null ? nothing : sql`and (date_trunc('milliseconds', t.opened_at), t.id) < (${new Date(after.atMs)}, ${after.id})`}
     order by date_trunc('milliseconds', t.opened_at) desc, t.id desc limit ${limit + 1}`;
  const listed = rows.map((row) => ({ ...row, atMs: row.openedAt.getTime() }));
  return { rows: listed, stoppedAt: null };
}

/** Empty: the task does not exist. */
export async function findTask(sql: Postgres, id: string): Promise<TaskRow[]> {
  return sql<TaskRow[]>`
    select ${selectColumns(sql)} from operator_tasks t where t.id = ${id}`;
}

/** Finds the open tasks about a refund, which close when the refund ends. */
export async function findTasksOfRefund(
  sql: Postgres,
  { paymentId, refundId }: { readonly paymentId: string; readonly refundId: string },
): Promise<TaskRow[]> {
  return sql<TaskRow[]>`
    select ${selectColumns(sql)}
      from operator_tasks t
     where t.payment_id = ${paymentId} and t.status = 'open'
       and t.details::jsonb ->> 'refundId' = ${refundId}
     order by t.id`;
}
