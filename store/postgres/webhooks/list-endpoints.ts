// Reads endpoints. A merchant has few of them (MAX_ENDPOINTS in an environment), so a list has no pages.
import type { Environment } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import {
  selectEndpointColumns,
  type EndpointKey,
  type WebhookEndpoint,
} from './endpoint-columns.js';

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
