// The dead-letter queue: deliveries that nothing more is tried of, until somebody replays them. A replay
// keeps id and bytes of the event and starts the schedule again; the reconciler finds it by itself.
import type { Postgres } from '../client.js';

export interface DeadLetter {
  id: string;
  eventId: string;
  endpointId: string;
  merchantId: string;
  environment: string;
  url: string;
  type: string;
  paymentId: string;
  attempts: number;
  reason: string;
  diedAt: Date;
}

export interface DeadLetterFilter {
  /** null: all of them. */
  endpointId: string | null;
  merchantId: string | null;
  type: string | null;
}

/** The newest first. */
export async function listDeadLetters(
  sql: Postgres,
  filter: DeadLetterFilter,
  limit: number,
): Promise<DeadLetter[]> {
  return sql<DeadLetter[]>`
    select d.id, d.event_id as "eventId", d.endpoint_id as "endpointId",
           w.merchant_id as "merchantId", w.environment, w.url, d.type, d.payment_id as "paymentId",
           d.attempts, d.reason, d.settled_at as "diedAt"
      from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
     where d.status = 'dead' and ${matching(sql, filter)}
     order by d.settled_at desc, d.id desc limit ${limit}`;
}

function matching(sql: Postgres, { endpointId, merchantId, type }: DeadLetterFilter) {
  return sql`(${endpointId}::text is null or d.endpoint_id = ${endpointId})
         and (${merchantId}::text is null or w.merchant_id = ${merchantId})
         and (${type}::text is null or d.type = ${type})`;
}

export interface DeliveryDetails {
  id: string;
  eventId: string;
  endpointId: string;
  url: string;
  type: string;
  paymentId: string;
  status: string;
  attempts: number;
  reason: string | null;
  nextAttemptAt: Date;
  settledAt: Date | null;
  body: string;
}

export interface AttemptDetails {
  attempt: number;
  at: Date;
  durationMs: number;
  statusCode: number | null;
  failure: string | null;
  error: string | null;
  excerpt: string | null;
}

/** Any delivery, dead or not, with its latest attempts; undefined: there is none of that id. */
export async function showDelivery(
  sql: Postgres,
  id: string,
): Promise<{ delivery: DeliveryDetails; attempts: AttemptDetails[] } | undefined> {
  const deliveries = await sql<DeliveryDetails[]>`
    select d.id, d.event_id as "eventId", d.endpoint_id as "endpointId", w.url, d.type,
           d.payment_id as "paymentId", d.status, d.attempts, d.reason,
           d.next_attempt_at as "nextAttemptAt", d.settled_at as "settledAt", e.envelope as body
      from webhook_deliveries d
      join webhook_endpoints w on w.id = d.endpoint_id
      join payment_events e on e.payment_id = d.payment_id and e.version = d.version
                           and e.envelope is not null
     where d.id = ${id}`;
  const delivery = deliveries[0];
  if (delivery === undefined) return undefined;
  const attempts = await sql<AttemptDetails[]>`
    select attempt, at, duration_ms as "durationMs", status_code as "statusCode", failure, error,
           excerpt
      from webhook_attempts where delivery_id = ${id} order by attempt desc limit 50`;
  return { delivery, attempts };
}

/** Makes dead letters pending again, at once due; answers the ids of those that were dead. */
export async function replayDeadLetters(sql: Postgres, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    update webhook_deliveries
       set status = 'pending', step = 0, settled_at = null, next_attempt_at = now()
     where id = any(${[...ids]}::text[]) and status = 'dead'
    returning id`;
  return rows.map(({ id }) => id);
}
