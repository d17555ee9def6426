// Reads webhook endpoints as their merchant sees them. The secret is shown only once, when it is created, so it is not part
// of them. A merchant has few endpoints (MAX_ENDPOINTS in an environment), so a list has no pages.
import type { WebhookType } from '#actors/core/schemas/event.js';
import type { DeliveryFailure } from '#actors/core/webhooks/failures.js';
import type { Environment } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import { joinValues } from '../join-column.js';

/** Event types that the endpoint receives; `*`: all types, future ones included. */
export type EventFilter = readonly WebhookType[] | readonly ['*'];

export interface WebhookEndpoint {
  readonly id: string;
  readonly merchantId: string;
  readonly environment: Environment;
  readonly url: string;
  readonly events: EventFilter;
  readonly active: boolean;
  readonly createdAt: Date;
  /** During a rotation: when the new secret becomes the only one; else null. */
  readonly switchAt: Date | null;
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** Nothing is sent to it until then; null: it is not paused. */
  readonly pausedUntil: Date | null;
  /** It is switched off, and its deliveries wait until then for it to be switched on; null: they do not. */
  readonly holdsUntil: Date | null;
}

/** Another merchant's id is treated like an unknown one. */
export interface EndpointKey {
  readonly id: string;
  readonly merchantId: string;
}

/** Columns of `WebhookEndpoint`, from `webhook_endpoints w left join webhook_endpoint_failures f`. */
export const selectEndpointColumns = (sql: Postgres) => sql`
  w.id, w.merchant_id as "merchantId", w.environment, w.url, to_json(w.events) as events, w.active,
  w.created_at as "createdAt", case when w.switch_at > now() then w.switch_at end as "switchAt",
  coalesce(f.failures, 0) as failures,
  case when w.active and f.paused_until > now() then f.paused_until end as "pausedUntil",
  case when not w.active and w.holds_until > now() then w.holds_until end as "holdsUntil"`;

export interface EndpointFilter {
  readonly merchantId: string;
  /** null: both. */
  readonly environment: Environment | null;
}

/** Newest first. */
export async function listEndpoints(
  sql: Postgres,
  { merchantId, environment }: EndpointFilter,
): Promise<WebhookEndpoint[]> {
  return sql<WebhookEndpoint[]>`
    select ${selectEndpointColumns(sql)} from webhook_endpoints w left join webhook_endpoint_failures f on f.endpoint_id = w.id
     where w.merchant_id = ${merchantId} and w.deleted_at is null
       and (${environment}::text is null or w.environment = ${environment})
     order by w.created_at desc, w.id desc`;
}

export async function findEndpoint(
  sql: Postgres,
  { id, merchantId }: EndpointKey,
): Promise<WebhookEndpoint | undefined> {
  const rows = await sql<WebhookEndpoint[]>`
    select ${selectEndpointColumns(sql)} from webhook_endpoints w left join webhook_endpoint_failures f on f.endpoint_id = w.id
     where w.id = ${id} and w.merchant_id = ${merchantId} and w.deleted_at is null`;
  return rows[0];
}

/** The attempts of a day at an endpoint. */
export interface EndpointHealth {
  readonly endpointId: string;
  readonly attempts: number;
  readonly failures: number;
  readonly succeededAt: Date | null;
  /** Of the latest failed attempt. */
  readonly failedAt: Date | null;
  readonly reason: DeliveryFailure | null;
  /** Deliveries that wait for an attempt, up to MAX_WAITING_COUNTED. */
  readonly waiting: number;
}

/** A busy endpoint is judged by its latest deliveries, so that a page costs the same for all. */
const JUDGED = 1_000;
export const MAX_WAITING_COUNTED = 1_000;

/** One row for each of the endpoints. */
export async function readHealth(sql: Postgres, ids: readonly string[]): Promise<EndpointHealth[]> {
  return sql<EndpointHealth[]>`
    select w.id as "endpointId", a.*, p.waiting
      from unnest(split(${joinValues(ids)})) as w (id)
     cross join lateral (
       select count(*)::int as attempts, count(a.failure)::int as failures,
              max(a.at) filter (where a.failure is null) as "succeededAt",
              max(a.at) filter (where a.failure is not null) as "failedAt",
              (array_agg(a.failure order by a.at desc) filter (where a.failure is not null))[1] as reason
         from (select id from webhook_deliveries where endpoint_id = w.id
                order by created_at desc, id desc limit ${JUDGED}) d
         join webhook_attempts a on a.delivery_id = d.id and a.at > now() - interval '24 hours') a
     cross join lateral (
       select count(*)::int as waiting from (
         select from webhook_deliveries
          where endpoint_id = w.id and status = 'pending' limit ${MAX_WAITING_COUNTED}) x) p`;
}
