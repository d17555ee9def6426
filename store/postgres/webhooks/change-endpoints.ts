// Makes, changes and deletes endpoints. One is active in an environment unless its owner says that many are
// meant: two with different secrets at one address are the commonest cause of refused signatures. The SQL functions
// (store/postgres/functions/webhooks.sql) make a merchant's changes one at a time, so that two concurrent requests
// cannot both be the first.
//
// Whoever calls has checked the address (`checkTarget`), and has sealed the secret for the id of the endpoint.
import type { Environment } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import type { EndpointKey, EventFilter, WebhookEndpoint } from './endpoint-columns.js';
import { findEndpoint } from './list-endpoints.js';

/** Of a merchant, in one environment; deleted ones do not count. */
export const MAX_ENDPOINTS = 16;

export interface EndpointInput extends EndpointKey {
  readonly environment: Environment;
  readonly url: string;
  readonly events: EventFilter;
  readonly sealedSecret: string;
  /** `allow_many`: others may be active beside it. */
  readonly allowsMany: boolean;
}

export type CreateRejection = 'active_exists' | 'too_many';

export async function createEndpoint(
  sql: Postgres,
  wish: EndpointInput,
): Promise<WebhookEndpoint | CreateRejection> {
  const { id, merchantId, environment, url, events, sealedSecret, allowsMany } = wish;
  const rows = await sql<{ outcome: 'created' | CreateRejection }[]>`
    select create_webhook_endpoint(${id}, ${merchantId}, ${environment}, ${url}, ${[...events]}::text[],
                                   ${sealedSecret}, ${allowsMany}, ${MAX_ENDPOINTS}) as outcome`;
  const outcome = rows[0]?.outcome;
  if (outcome === 'active_exists' || outcome === 'too_many') return outcome;
  const made = await findEndpoint(sql, wish);
  if (made === undefined) throw new Error(`the endpoint ${id} was made and is not there`);
  return made;
}

/** null: stays as it is. */
export interface EndpointChange {
  readonly url: string | null;
  readonly events: EventFilter | null;
  /** Switched off, its pending deliveries die at their next attempt (`endpoint_inactive`). */
  readonly active: boolean | null;
  readonly allowsMany: boolean;
}

/** The endpoint as it is then; every worker knows of the change within a second. */
export async function changeEndpoint(
  sql: Postgres,
  key: EndpointKey,
  { url, events, active, allowsMany }: EndpointChange,
): Promise<WebhookEndpoint | 'missing' | 'active_exists'> {
  const filter = events === null ? null : [...events];
  const rows = await sql<{ outcome: 'changed' | 'missing' | 'active_exists' }[]>`
    select change_webhook_endpoint(${key.id}, ${key.merchantId}, ${url}, ${filter}::text[], ${active},
                                   ${allowsMany}) as outcome`;
  const outcome = rows[0]?.outcome ?? 'missing';
  return outcome === 'changed' ? ((await findEndpoint(sql, key)) ?? 'missing') : outcome;
}

/**
 * Deletes it: nothing is sent to it any more, and its secrets are gone. What was delivered stays on record for
 * its 30 days. False: there is no such endpoint (any more).
 */
export async function deleteEndpoint(
  sql: Postgres,
  { id, merchantId }: EndpointKey,
): Promise<boolean> {
  const rows = await sql`
    update webhook_endpoints
       set active = false, deleted_at = now(), secret = '', next_secret = null, switch_at = null
     where id = ${id} and merchant_id = ${merchantId} and deleted_at is null
    returning id`;
  return rows.length === 1;
}
