// The API keys of a merchant. Only the digest of a secret is stored, with its first and last characters for lists. A
// `revoked_at` in the future is the end of an overlap; until then the key works.
import { type Credential, digestApiKey, type Scope } from '#actors/core/api-key.js';
import type { Environment, KeyId, MerchantId, UserId } from '#actors/core/ids.js';
import { selectActor, type Actor } from '../operations/audit.js';
import { insertMailsFrom, type Mail } from '../accounts/mails.js';
import type { Postgres } from '../client.js';
import { listNewest } from '../links-and-invoices/list-newest.js';
import type { FoundRows, Page, PagePlace } from '../page.js';

const PREFIX_LENGTH = 'sk_test_'.length + 4;
/** Active keys in one environment. */
export const MAX_KEYS = 50;

export interface KeyRow {
  readonly id: KeyId;
  readonly environment: Environment;
  readonly name: string | null;
  readonly prefix: string;
  readonly lastFour: string;
  readonly scopes: readonly Scope[];
  readonly allowedAddresses: readonly string[];
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  /** null: an operator, or nobody knows. */
  readonly madeBy: UserId | null;
  /** The address of the maker at that time; null: it was erased. */
  readonly madeByEmail: string | null;
  /** The maker is a user of the merchant no more. */
  readonly isMakerRemoved: boolean;
}

const selectColumns = (sql: Postgres) => sql`
  id, environment, name, prefix, last_four as "lastFour", to_json(scopes) as scopes,
  to_json(allowed_addresses) as "allowedAddresses", created_at as "createdAt",
  last_used_at as "lastUsedAt", revoked_at as "revokedAt", made_by as "madeBy", made_by_email as "madeByEmail",
  made_by is not null and not exists (select from users u where u.id = made_by) as "isMakerRemoved"`;

export interface KeyFilter {
  readonly merchantId: MerchantId;
  /** null: both. */
  readonly environment: Environment | null;
}

/** Lists keys, newest first, without those revoked more than 30 days ago. */
export async function listKeys(
  sql: Postgres,
  { merchantId, environment }: KeyFilter,
  page: Page,
): Promise<FoundRows<KeyRow & PagePlace>> {
  const filter = sql`
    (${environment}::text is null or environment = ${environment})
     and (revoked_at is null or revoked_at > now() - interval '30 days')`;
  const columns = selectColumns(sql);
  return listNewest<KeyRow>(sql, { table: 'api_keys', merchantId, filter, columns }, page);
}

/** `secret` is the whole key; it is not stored. */
interface NewSecret {
  readonly id: KeyId;
  readonly secret: string;
  /** Notify the owners. */
  readonly mails: readonly Mail[];
}

export interface NewKey extends NewSecret {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly name: string | null;
  readonly scopes: readonly Scope[];
  readonly allowedAddresses: readonly string[];
}

const digestSecret = (secret: string): string => digestApiKey(secret).toString('hex');

/** Part of a larger statement: the maker of a key, who is the actor, with the present address. */
const selectMaker = (sql: Postgres, { userId }: Actor) => sql`
  ${userId}, (select u.email from users u where u.id = ${userId})`;

/** Empty if the merchant already has MAX_KEYS. */
export async function createKey(sql: Postgres, actor: Actor, key: NewKey): Promise<KeyRow[]> {
  const { id, merchantId, environment, name, secret, scopes, allowedAddresses, mails } = key;
  return sql<KeyRow[]>`
    with ${selectActor(sql, actor)},
    made as (
      insert into api_keys (id, merchant_id, environment, name, prefix, last_four, digest, scopes,
                            allowed_addresses, made_by, made_by_email)
      select ${id}, ${merchantId}, ${environment}, ${name}, ${secret.slice(0, PREFIX_LENGTH)},
             ${secret.slice(-4)}, decode(${digestSecret(secret)}, 'hex'), ${[...scopes]}::text[],
             ${[...allowedAddresses]}::text[], ${selectMaker(sql, actor)}
        from acting
       where (select count(*) from api_keys
               where merchant_id = ${merchantId} and environment = ${environment}
                 and (revoked_at is null or revoked_at > now())) < ${MAX_KEYS}
      returning *),
    mailed as (${insertMailsFrom(sql, mails, 'made')})
    select ${selectColumns(sql)} from made`;
}

export interface KeyRoll {
  readonly merchantId: MerchantId;
  readonly id: KeyId;
  readonly overlapSeconds: number;
  readonly successor: NewSecret;
}

/** Creates a successor with the same rights; empty if the key does not exist or is already rolled or revoked. */
export async function rollKey(sql: Postgres, actor: Actor, roll: KeyRoll): Promise<KeyRow[]> {
  const { merchantId, id, overlapSeconds, successor } = roll;
  const { secret, mails } = successor;
  return sql<KeyRow[]>`
    with ${selectActor(sql, actor)},
    rolled as (
      update api_keys set revoked_at = now() + make_interval(secs => ${overlapSeconds}::integer)
        from acting
       where id = ${id} and merchant_id = ${merchantId} and revoked_at is null
      returning api_keys.*),
    made as (
      insert into api_keys (id, merchant_id, environment, name, prefix, last_four, digest, scopes,
                            allowed_addresses, made_by, made_by_email)
      select ${successor.id}, merchant_id, environment, name, ${secret.slice(0, PREFIX_LENGTH)},
             ${secret.slice(-4)}, decode(${digestSecret(secret)}, 'hex'), scopes, allowed_addresses,
             ${selectMaker(sql, actor)}
        from rolled
      returning *),
    mailed as (${insertMailsFrom(sql, mails, 'made')})
    select ${selectColumns(sql)} from made`;
}

/** Empty if the merchant has no such key. */
export async function findKey(sql: Postgres, merchantId: MerchantId, id: KeyId): Promise<KeyRow[]> {
  return sql<KeyRow[]>`
    select ${selectColumns(sql)} from api_keys where id = ${id} and merchant_id = ${merchantId}`;
}

export interface KeyRevocation {
  readonly merchantId: MerchantId;
  readonly id: KeyId;
  /** Notify the owners. */
  readonly mails: readonly Mail[];
}

/** Revokes a key now; a key that is already revoked stays unchanged. */
export async function revokeKey(
  sql: Postgres,
  actor: Actor,
  { merchantId, id, mails }: KeyRevocation,
): Promise<void> {
  await sql`
    with ${selectActor(sql, actor)},
    revoked as (
      update api_keys set revoked_at = now() from acting
       where id = ${id} and merchant_id = ${merchantId} and (revoked_at is null or revoked_at > now())
      returning 1)
    ${insertMailsFrom(sql, mails, 'revoked')}`;
}

/** Records that keys were used; the time is exact to a few seconds, because uses are written in batches. */
export async function recordUses(sql: Postgres, ids: readonly KeyId[]): Promise<void> {
  await sql`update api_keys set last_used_at = now() where id = any(${[...ids]}::text[])`;
}

/** Finds keys by the SHA-256 of their text; unknown and revoked keys are left out. */
export async function findCredentials(
  sql: Postgres,
  digests: readonly Buffer[],
): Promise<Credential[]> {
  const hex = digests.map((digest) => digest.toString('hex'));
  return sql<Credential[]>`
    select k.id as "keyId", k.merchant_id as "merchantId", k.environment, k.digest,
           takes_payments(k.merchant_id, 'LIVE') as "takesPayments",
           to_json(k.scopes) as scopes, to_json(k.allowed_addresses) as "allowedAddresses"
      from api_keys k
     where k.digest in (select decode(d, 'hex') from unnest(${hex}::text[]) as d)
       and (k.revoked_at is null or k.revoked_at > now())`;
}
