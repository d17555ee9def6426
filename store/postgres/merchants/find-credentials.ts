// Finds the merchant, environment and rights of secret keys.
import type { Credential } from '#actors/core/api-key.js';
import type { Postgres } from '../client.js';

/** Finds keys by the SHA-256 of their text; unknown and revoked keys are left out. */
export async function findCredentials(
  sql: Postgres,
  digests: readonly Buffer[],
): Promise<Credential[]> {
  const hex = digests.map((digest) => digest.toString('hex'));
  return sql<Credential[]>`
    select k.id as "keyId", k.merchant_id as "merchantId", k.environment, k.digest,
           takes_payments(k.merchant_id, 'LIVE') as "isLiveEnabled",
           to_json(k.scopes) as scopes, to_json(k.allowed_addresses) as "allowedAddresses"
      from api_keys k
     where k.digest in (select decode(d, 'hex') from unnest(${hex}::text[]) as d)
       and (k.revoked_at is null or k.revoked_at > now())`;
}
