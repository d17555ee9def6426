// Reads endpoints. A merchant has few of them (MAX_ENDPOINTS an environment), so a list is always whole.
import type { Environment } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import {
  selectEndpointColumns,
  type EndpointKey,
  type WebhookEndpoint,
} from './endpoint-columns.js';

export interface EndpointFilter {
  readonly merchantId: string;
  /** null: of both. */
  readonly environment: Environment | null;
}

/** The newest first. */
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

/** undefined: the merchant has none of that id. */
export async function findEndpoint(
  sql: Postgres,
  { id, merchantId }: EndpointKey,
): Promise<WebhookEndpoint | undefined> {
  const rows = await sql<WebhookEndpoint[]>`
    select ${selectEndpointColumns(sql)} from webhook_endpoints w
     where w.id = ${id} and w.merchant_id = ${merchantId} and w.deleted_at is null`;
  return rows[0];
}
