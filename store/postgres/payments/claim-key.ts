// Idempotency keys of objects that route by another id than the key's own: a refund goes to its payment's
// partition, so two requests with one key can meet different actors. They meet here first: the key belongs to
// the body that came first.
//
//   (none) ──claim──▶ claimed, uses 1 ──claim, same body──▶ uses + 1
//                        │                ──claim, other body──▶ conflict, nothing changes
//                        └──release (503: nothing was accepted)──▶ uses - 1; with 0 the key is free again
//
// A request that was accepted, or may have been, is never released. So while any request relies on a claim no
// other body can take the key, and an id is never used for two payments.
import { hash } from 'node:crypto';
import type { Environment, IdKind, MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';

export interface KeyClaim {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly kind: IdKind;
  /** A digest of the key. */
  readonly key: string;
  /** Of the body. */
  readonly fingerprint: string;
  readonly objectId: string;
}

/** Whatever a client writes into its keys, a card number or a name: it is not kept. */
export function digestKey(idempotencyKey: string): string {
  return hash('sha256', idempotencyKey, 'base64url');
}

/** One statement, so that of two at once the second sees the first. */
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

/** Takes back one claim of a request of which nothing was accepted. */
export async function releaseKey(sql: Postgres, claim: KeyClaim): Promise<void> {
  const { merchantId, environment, kind, key, fingerprint } = claim;
  await sql`
    update idempotency_claims set uses = uses - 1
     where merchant_id = ${merchantId} and environment = ${environment} and kind = ${kind}
       and key = ${key} and fingerprint = ${fingerprint} and uses > 0`;
}
