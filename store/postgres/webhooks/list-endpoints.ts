// Reads webhook endpoints as their merchant sees them. The secret is shown only once, when it is created, so it is not part
// of them. A merchant has few endpoints (MAX_ENDPOINTS in an environment), so a list has no pages.
import type { WebhookType } from '#actors/core/schemas/event.js';
import type { Environment } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';

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
}

/** Another merchant's id is treated like an unknown one. */
export interface EndpointKey {
  readonly id: string;
  readonly merchantId: string;
}

/** Columns of `WebhookEndpoint`, from `webhook_endpoints w`. */
export const selectEndpointColumns = (sql: Postgres) => sql`
  w.id, w.merchant_id as "merchantId", w.environment, w.url, to_json(w.events) as events, w.active,
  w.created_at as "createdAt", case when w.switch_at > now() then w.switch_at end as "switchAt"`;

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
    select ${selectEndpointColumns(sql)} from webhook_endpoints w
     where w.merchant_id = ${merchantId} and w.deleted_at is null
       and (${environment}::text is null or w.environment = ${environment})
     order by w.created_at desc, w.id desc`;
}

export async function findEndpoint(
  sql: Postgres,
  { id, merchantId }: EndpointKey,
): Promise<WebhookEndpoint | undefined> {
  const rows = await sql<WebhookEndpoint[]>`
    select ${selectEndpointColumns(sql)} from webhook_endpoints w
     where w.id = ${id} and w.merchant_id = ${merchantId} and w.deleted_at is null`;
  return rows[0];
}
