// Creates, changes and deletes endpoints. An environment has one active endpoint unless the merchant allows more: two
// endpoints with different secrets at one address are the most frequent cause of wrong signatures. The SQL functions
// (store/postgres/functions/) lock the merchant's endpoints, so of two simultaneous requests only one can be the first.
//
// The caller must check the address (`checkTarget`) and seal the secret for the endpoint's id.
import type { Environment } from '#actors/core/ids.js';
import { insertMailsFrom, type Mail } from '../accounts/mails.js';
import { type Actor, selectActor } from '../operations/audit.js';
import type { Postgres } from '../client.js';
import {
  type EndpointKey,
  type EventFilter,
  findEndpoint,
  type WebhookEndpoint,
} from './list-endpoints.js';

/** Endpoints of a merchant in one environment; deleted ones do not count. */
export const MAX_ENDPOINTS = 16;

export interface EndpointInput extends EndpointKey {
  readonly environment: Environment;
  readonly url: string;
  readonly events: EventFilter;
  readonly sealedSecret: string;
  /** `allow_many`: it may be active beside other endpoints. */
  readonly allowsMany: boolean;
  /** The other active endpoints of the environment are switched off. */
  readonly replacesOthers?: boolean;
  /** To the owners, stored with the endpoint. */
  readonly mails?: readonly Mail[];
}

export type CreateRejection = 'active_exists' | 'too_many';

/** Why an endpoint could not be created now; null: it could. For checks before the work of a creation. */
export async function findCreateRejection(
  sql: Postgres,
  {
    merchantId,
    environment,
    allowsMany,
  }: Pick<EndpointInput, 'merchantId' | 'environment' | 'allowsMany'>,
): Promise<CreateRejection | null> {
  const rows = await sql<{ rejection: CreateRejection | null }[]>`
    select find_webhook_endpoint_rejection(${merchantId}, ${environment}, ${allowsMany},
                                           ${MAX_ENDPOINTS}) as rejection`;
  return rows[0]?.rejection ?? null;
}

export async function createEndpoint(
  sql: Postgres,
  actor: Actor,
  input: EndpointInput,
): Promise<WebhookEndpoint | CreateRejection> {
  const { id, merchantId, environment, url, events, sealedSecret, mails = [] } = input;
  const { replacesOthers = false } = input;
  const allowsMany = input.allowsMany || replacesOthers;
  const rows = await sql<{ outcome: 'created' | CreateRejection }[]>`
    with ${selectActor(sql, actor)},
    asked as materialized (
      select create_webhook_endpoint(${id}, ${merchantId}, ${environment}, ${url}, ${[...events]}::text[],
                                     ${sealedSecret}, ${allowsMany}, ${MAX_ENDPOINTS}) as outcome
        from acting where is_set),
    made as (select 1 from asked where outcome = 'created'),
    mailed as (${insertMailsFrom(sql, mails, 'made')})
    select outcome, case when outcome = 'created' and ${replacesOthers}::boolean
                         then replace_webhook_endpoints(${merchantId}, ${environment}, ${id}) end
      from asked`;
  const outcome = rows[0]?.outcome;
  if (outcome === 'active_exists' || outcome === 'too_many') return outcome;
  const created = await findEndpoint(sql, input);
  if (created === undefined) throw new Error(`endpoint ${id} was created but cannot be found`);
  return created;
}

/** null leaves a field unchanged. */
export interface EndpointChange {
  readonly url: string | null;
  readonly events: EventFilter | null;
  /** Pending deliveries of an inactive endpoint die at their next attempt (`endpoint_inactive`), unless it holds them. */
  readonly active: boolean | null;
  /** With `active` false: its pending deliveries wait for HELD_FOR. */
  readonly holdsWaiting?: boolean;
  readonly allowsMany: boolean;
  /** With `active` true: the other active endpoints of the environment are switched off. */
  readonly replacesOthers?: boolean;
  /** To the owners, stored with the change. */
  readonly mails?: readonly Mail[];
}

/** As long as dead letters are kept. */
export const HELD_FOR_DAYS = 30;

/** Returns the changed endpoint. Every worker uses the change within a second. */
export async function changeEndpoint(
  sql: Postgres,
  actor: Actor,
  key: EndpointKey,
  change: EndpointChange,
): Promise<WebhookEndpoint | 'missing' | 'active_exists'> {
  const { url, events, active, allowsMany, mails = [] } = change;
  const filter = events === null ? null : [...events];
  const hold = active === false && change.holdsWaiting === true ? `${HELD_FOR_DAYS} days` : null;
  const isReplacing = active === true && change.replacesOthers === true;
  const rows = await sql<{ outcome: 'changed' | 'missing' | 'active_exists' }[]>`
    with ${selectActor(sql, actor)},
    asked as materialized (
      select change_webhook_endpoint(${key.id}, ${key.merchantId}, ${url}, ${filter}::text[], ${active},
                                     ${allowsMany || isReplacing}) as outcome
        from acting where is_set),
    made as (select 1 from asked where outcome = 'changed'),
    mailed as (${insertMailsFrom(sql, mails, 'made')})
    select outcome,
           case when outcome = 'changed' and ${active}::boolean is not null
                then hold_webhook_deliveries(${key.id}, ${hold}::text::interval) end,
           case when outcome = 'changed' and ${isReplacing}::boolean
                then (select replace_webhook_endpoints(merchant_id, environment, id) from webhook_endpoints
                       where id = ${key.id}) end
      from asked`;
  const outcome = rows[0]?.outcome ?? 'missing';
  return outcome === 'changed' ? ((await findEndpoint(sql, key)) ?? 'missing') : outcome;
}

/**
 * Deletes an endpoint and its secrets. Its deliveries are kept for their 30 days; those that are pending or held die. Returns
 * false when the merchant has no such endpoint.
 */
export async function deleteEndpoint(
  sql: Postgres,
  actor: Actor,
  { id, merchantId }: EndpointKey,
  mails: readonly Mail[] = [],
): Promise<boolean> {
  const rows = await sql`
    with ${selectActor(sql, actor)},
    deleted as (select delete_endpoints(${merchantId}, ${id}) as id from acting where is_set),
    mailed as (${insertMailsFrom(sql, mails, 'deleted')})
    select id from deleted`;
  return rows.length === 1;
}

export interface NewEndpoint {
  id: string;
  merchantId: string;
  environment: 'TEST' | 'LIVE';
  url: string;
  /** Event types, or `['*']` for STAR_TYPES. */
  events: readonly string[];
  sealedSecret: string;
}

/** For the demo and tests: creates an active endpoint without checks; of an existing one it changes only the address. */
export async function putEndpoint(sql: Postgres, endpoint: NewEndpoint): Promise<void> {
  const { id, merchantId, environment, url, events, sealedSecret } = endpoint;
  await sql`
    insert into webhook_endpoints (id, merchant_id, environment, url, events, secret)
    values (${id}, ${merchantId}, ${environment}, ${url}, ${[...events]}::text[], ${sealedSecret})
    on conflict (id) do update set url = excluded.url`;
}
