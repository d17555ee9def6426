// The secrets of endpoints: read for attempts, and rotated.
//
// The core computes the new secrets of a rotation from the stored ones. The update compares the stored ciphertexts, which
// never repeat, so simultaneous rotations are applied one after the other. The rotation resolves when no worker uses the
// former secrets from its cache any more, so a merchant never has a new secret that does not sign yet.
import { type StoredSecrets, rotateSecret } from '#actors/core/webhooks/rotation.js';
import { setTimeout } from 'node:timers/promises';
import type { Postgres } from '../client.js';
import { joinValues } from '../join-column.js';
import { insertMailsFrom, type Mail } from '../accounts/mails.js';
import { type Actor, selectActor } from '../operations/audit.js';
import { type EndpointKey, type WebhookEndpoint, findEndpoint } from './list-endpoints.js';

/**
 * Workers sign with secrets that were asked for at most this long ago. A rotation resolves after it, so that every
 * attempt that begins later is signed with the new secrets. Longer than an answer of Postgres takes on a busy machine,
 * because an answer that is older is asked again.
 */
export const LIVE_FOR_MS = 1_000;

/** Its secrets are ciphertexts. */
export interface LiveEndpointRow extends StoredSecrets {
  id: string;
  url: string;
  active: boolean;
  /** While it is inactive, its deliveries wait. */
  holds: boolean;
}

export async function loadLiveEndpoints(
  sql: Postgres,
  ids: readonly string[],
): Promise<LiveEndpointRow[]> {
  return sql<LiveEndpointRow[]>`
    select id, url, active, coalesce(holds_until > now(), false) as holds, secret, next_secret as "nextSecret",
           (extract(epoch from switch_at - now()) * 1000)::float8 as "switchInMs"
      from webhook_endpoints where id = any(split(${joinValues(ids)}))`;
}

const MAX_TRIES = 5;

export interface SecretRotation {
  /** Encrypted for the endpoint's id. */
  readonly sealedSecret: string;
  /** 0 revokes the former secrets: none of them signs once the rotation has resolved. */
  readonly overlapMs: number;
  /** To the owners, with the rotation. */
  readonly mails?: readonly Mail[];
}

export type RotateRejection = 'missing' | 'rotation_overlaps';

export async function rotateEndpointSecret(
  sql: Postgres,
  actor: Actor,
  key: EndpointKey,
  { sealedSecret, overlapMs, mails = [] }: SecretRotation,
): Promise<WebhookEndpoint | RotateRejection> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const stored = await loadSecrets(sql, key);
    if (stored === undefined) return 'missing';
    const rotated = rotateSecret(stored, { newSecret: sealedSecret, overlapMs });
    if (rotated === 'rotation_overlaps') return rotated;
    if (await replace(sql, actor, stored, { ...rotated, id: key.id, mails })) {
      await setTimeout(LIVE_FOR_MS);
      return (await findEndpoint(sql, key)) ?? 'missing';
    }
  }
  throw new Error(`rotating the secret of ${key.id} lost ${MAX_TRIES} races; try again`);
}

async function loadSecrets(
  sql: Postgres,
  { id, merchantId }: EndpointKey,
): Promise<StoredSecrets | undefined> {
  const rows = await sql<StoredSecrets[]>`
    select secret, next_secret as "nextSecret",
           (extract(epoch from switch_at - now()) * 1000)::float8 as "switchInMs"
      from webhook_endpoints
     where id = ${id} and merchant_id = ${merchantId} and deleted_at is null`;
  return rows[0];
}

async function replace(
  sql: Postgres,
  actor: Actor,
  stored: StoredSecrets,
  {
    id,
    secret,
    nextSecret,
    switchInMs,
    mails,
  }: StoredSecrets & { readonly id: string; readonly mails: readonly Mail[] },
): Promise<boolean> {
  const rows = await sql`
    with ${selectActor(sql, actor)},
    replaced as (
      update webhook_endpoints
         set secret = ${secret}, next_secret = ${nextSecret},
             switch_at = now() + ${switchInMs}::float8 * interval '1 ms'
        from acting
       where id = ${id} and secret = ${stored.secret} and deleted_at is null
         and next_secret is not distinct from ${stored.nextSecret}
      returning id),
    mailed as (${insertMailsFrom(sql, mails, 'replaced')})
    select id from replaced`;
  return rows.length === 1;
}
