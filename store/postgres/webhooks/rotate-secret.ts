// Rotates an endpoint's secret. What a rotation makes of the stored secrets is decided by the core; the row is
// changed only if it still is what the decision was made on, so two rotations at once are one after the other.
// Ciphertexts never repeat, which makes them good for the comparison. It is answered when no worker signs with what
// it had read before: so nobody holds a new secret that does not sign yet.
import { setTimeout } from 'node:timers/promises';
import { rotateSecret, type StoredSecrets } from '#actors/core/webhooks/rotation.js';
import type { Postgres } from '../client.js';
import { LIVE_FOR_MS } from './live-endpoints.js';
import type { EndpointKey, WebhookEndpoint } from './endpoint-columns.js';
import { findEndpoint } from './list-endpoints.js';

const TRIES = 5;

export interface SecretRotation {
  /** Sealed for the endpoint's id. */
  readonly sealedSecret: string;
  /** 0 revokes the former secrets: nothing is signed with them any more when this has resolved. */
  readonly overlapMs: number;
}

export type RotateRejection = 'missing' | 'rotation_overlaps';

/** The endpoint as it is then. */
export async function rotateEndpointSecret(
  sql: Postgres,
  key: EndpointKey,
  { sealedSecret, overlapMs }: SecretRotation,
): Promise<WebhookEndpoint | RotateRejection> {
  for (let time = 0; time < TRIES; time += 1) {
    const stored = await loadSecrets(sql, key);
    if (stored === undefined) return 'missing';
    const rotated = rotateSecret(stored, { newSecret: sealedSecret, overlapMs });
    if (rotated === 'rotation_overlaps') return rotated;
    if (await replace(sql, key.id, stored, rotated)) {
      await setTimeout(LIVE_FOR_MS);
      return (await findEndpoint(sql, key)) ?? 'missing';
    }
  }
  throw new Error(`the secret of ${key.id} changes all the time`);
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
  id: string,
  stored: StoredSecrets,
  { secret, nextSecret, switchInMs }: StoredSecrets,
): Promise<boolean> {
  const rows = await sql`
    update webhook_endpoints
       set secret = ${secret}, next_secret = ${nextSecret},
           switch_at = now() + ${switchInMs}::float8 * interval '1 ms'
     where id = ${id} and secret = ${stored.secret} and deleted_at is null
       and next_secret is not distinct from ${stored.nextSecret}
    returning id`;
  return rows.length === 1;
}
