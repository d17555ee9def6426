// Our payments on a rail's day: those that reconciliation inquires, and those that the rail's list names.
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { RailDay } from '#actors/core/tasks/rail-days.js';
import type { Postgres } from '../client.js';
import type { RailDayKey } from './reconciliations.js';

export interface ReconciledPayment {
  readonly id: string;
  readonly snapshot: string;
}

/**
 * Loads up to `limit` payments with ids after `after` and a settlement that was booked, or a refund that was answered, on
 * the day; with `withEnded`, also those with an order that ended on the day.
 */
export async function loadPaymentsOfDay(
  sql: Postgres,
  rail: RailName,
  { fromMs, toMs }: RailDay,
  page: { readonly after: string; readonly limit: number; readonly withEnded: boolean },
): Promise<ReconciledPayment[]> {
  const { after, limit, withEnded } = page;
  const ended = sql`
    union
    select payment_id from rail_calls
     where rail = ${rail} and operation = 'charge' and payment_id > ${after}
       and (request::json ->> 'expiresAtMs')::bigint >= ${fromMs}::float8::bigint
       and (request::json ->> 'expiresAtMs')::bigint < ${toMs}::float8::bigint`;
  return sql<ReconciledPayment[]>`
    select p.id, p.snapshot
      from (select payment_id from rail_transactions
             where rail = ${rail} and rail <> 'sandbox' and payment_id > ${after}
               and booked_at >= to_timestamp(${fromMs / 1000}::float8)
               and booked_at < to_timestamp(${toMs / 1000}::float8)
            union
            select payment_id from rail_calls
             where rail = ${rail} and operation = 'refund' and state = 'answered'
               and payment_id > ${after}
               and answered_at >= to_timestamp(${fromMs / 1000}::float8)
               and answered_at < to_timestamp(${toMs / 1000}::float8)
            ${withEnded ? ended : sql``}) t
      join payments p on p.id = t.payment_id
     order by p.id limit ${limit}`;
}

/** Finds which of these orders, refunds or payouts the rail's list of the day has named. */
export async function findSightings(
  sql: Postgres,
  { rail, day }: RailDayKey,
  orderIds: readonly string[],
): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select order_id as id from rail_sightings
     where rail = ${rail} and day = ${day}::text::date and order_id = any(${orderIds}::text[])`;
  return new Set(rows.map(({ id }) => id));
}

/** Finds the payments of orders at the rail, by order. Orders that are not ours are left out. */
export async function findPaymentsOfOrders(
  sql: Postgres,
  rail: RailName,
  orderIds: readonly string[],
): Promise<Map<string, ReconciledPayment>> {
  const rows = await sql<(ReconciledPayment & { orderId: string })[]>`
    select i.id as "orderId", p.id, p.snapshot
      from status_inquiries i join payments p on p.id = i.payment_id
     where i.id = any(${orderIds}::text[]) and i.rail = ${rail} and i.kind = 'order'`;
  return new Map(rows.map(({ orderId, id, snapshot }) => [orderId, { id, snapshot }]));
}

/** Finds the payments of our LIVE refunds, by refund. */
export async function findPaymentsOfRefunds(
  sql: Postgres,
  refundIds: readonly string[],
): Promise<Map<string, ReconciledPayment>> {
  const rows = await sql<(ReconciledPayment & { refundId: string })[]>`
    select r.id as "refundId", p.id, p.snapshot
      from refunds r join payments p on p.id = r.payment_id
     where r.id = any(${refundIds}::text[]) and r.environment = 'LIVE'`;
  return new Map(rows.map(({ refundId, id, snapshot }) => [refundId, { id, snapshot }]));
}
