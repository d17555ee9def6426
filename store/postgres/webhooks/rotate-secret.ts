// Rotates an endpoint's secret. The core computes the new secrets from the stored ones; the update compares the stored
// ciphertexts, which never repeat, so simultaneous rotations are applied one after the other. The rotation resolves when
// no worker uses the former secrets from its cache any more, so a merchant never has a new secret that does not sign yet.
import { setTimeout } from 'node:timers/promises';
import { rotateSecret, type StoredSecrets } from '#actors/core/webhooks/rotation.js';
import type { Postgres } from '../client.js';
import { LIVE_FOR_MS } from './live-endpoints.js';
import type { EndpointKey, WebhookEndpoint } from './endpoint-columns.js';
import { findEndpoint } from './list-endpoints.js';

const MAX_TRIES = 5;

export interface SecretRotation {
  /** Encrypted for the endpoint's id. */
  readonly sealedSecret: string;
  /** 0 revokes the former secrets: none of them signs once the rotation has resolved. */
  readonly overlapMs: number;
}

export type RotateRejection = 'missing' | 'rotation_overlaps';

export async function rotateEndpointSecret(
  sql: Postgres,
  key: EndpointKey,
  { sealedSecret, overlapMs }: SecretRotation,
): Promise<WebhookEndpoint | RotateRejection> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const stored = await loadSecrets(sql, key);
    if (stored === undefined) return 'missing';
    const rotated = rotateSecret(stored, { newSecret: sealedSecret, overlapMs });
    if (rotated === 'rotation_overlaps') return rotated;
    if (await replace(sql, key.id, stored, rotated)) {
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
