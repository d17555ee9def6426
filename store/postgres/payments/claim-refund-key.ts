// Claims of idempotency keys, for objects whose partition does not follow from their key: a refund belongs to the
// partition of its payment, so two requests with one key could meet different actors. The first body claims the key.
//
//   FREE ──claim──▶ CLAIMED (uses 1) ──claim with the same body──▶ uses + 1
//                      │  ▲──────────── claim with another body: conflict, nothing changes
//                      └──release after a 503 (nothing was accepted)──▶ uses - 1, and FREE at 0
//
// A request that was accepted, or may have been, is never released. So no other body can claim the key while a request
// relies on it, and an id is never used for two objects.
import { hash } from 'node:crypto';
import type { Environment, IdKind, MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';

export interface KeyClaim {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly kind: IdKind;
  /** `digestKey` of the key. */
  readonly key: string;
  /** Of the body. */
  readonly fingerprint: string;
  readonly objectId: string;
}

/** Keys of clients may contain card numbers or names, so they are not stored. */
export function digestKey(idempotencyKey: string): string {
  return hash('sha256', idempotencyKey, 'base64url');
}

/** One statement, so that the second of two concurrent claims sees the first. */
export async function claimKey(sql: Postgres, claim: KeyClaim): Promise<'claimed' | 'conflict'> {
  const { merchantId, environment, kind, key, fingerprint, objectId } = claim;
  const rows = await sql<{ fingerprint: string }[]>`
    insert into idempotency_claims as c (merchant_id, environment, kind, key, fingerprint, object_id)
    values (${merchantId}, ${environment}, ${kind}, ${key}, ${fingerprint}, ${objectId})
    on conflict (merchant_id, environment, kind, key) do update
       set fingerprint = case when c.uses = 0 then excluded.fingerprint else c.fingerprint end,
           uses = c.uses + (c.uses = 0 or c.fingerprint = excluded.fingerprint)::integer
    returning fingerprint`;
  return rows[0]?.fingerprint === fingerprint ? 'claimed' : 'conflict';
}

/** For a request of which nothing was accepted. */
export async function releaseKey(sql: Postgres, claim: KeyClaim): Promise<void> {
  const { merchantId, environment, kind, key, fingerprint } = claim;
  await sql`
    update idempotency_claims set uses = uses - 1
     where merchant_id = ${merchantId} and environment = ${environment} and kind = ${kind}
       and key = ${key} and fingerprint = ${fingerprint} and uses > 0`;
}
