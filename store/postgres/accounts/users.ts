// Users: registration, invitations, look-ups by address or id, and roles.
import type { MerchantId, UserId } from '#actors/core/ids.js';
import { nameActor, selectActor, type Actor } from '../operations/audit.js';
import type { Postgres } from '../client.js';
import { type Mail, insertMailFrom } from './mails.js';

export interface NewLink {
  /** Hexadecimal SHA-256 of the token. */
  readonly digest: string;
  readonly expiresAt: Date;
}

export interface NewAccount {
  readonly merchantId: MerchantId;
  readonly businessName: string;
  readonly userId: UserId;
  readonly email: string;
  readonly language: string;
  readonly passwordHash: string;
  readonly link: NewLink;
  readonly mail: Mail;
}

/** Stores a merchant with its owner; false, and nothing is stored, if the address is registered. */
export async function createAccount(sql: Postgres, account: NewAccount): Promise<boolean> {
  const { merchantId, businessName, userId, email, language, passwordHash, link, mail } = account;
  const rows = await sql`
    with merchant as (
      insert into merchants (id, business_name)
      select ${merchantId}, ${businessName}
       where not exists (select 1 from users where email = ${email}) returning id),
    new_user as (
      insert into users (id, email, merchant_id, role, password_hash, language)
      select ${userId}, ${email}, id, 'owner', ${passwordHash}, ${language} from merchant returning id),
    link as (
      insert into one_time_links (digest, purpose, user_id, expires_at)
      select decode(${link.digest}, 'hex'), 'verify', id, ${link.expiresAt} from new_user),
    mailed as (${insertMailFrom(sql, mail, 'new_user')})
    select 1 from new_user`;
  return rows.length === 1;
}

/** A user that operators' commands and the demo create without registration. */
export interface SeededUser {
  readonly id: UserId;
  readonly email: string;
  /** null for an administrator. */
  readonly merchantId: MerchantId | null;
  readonly passwordHash: string;
}

/** Stores an owner or an administrator with a verified address; false if the address is registered. */
export async function seedUser(sql: Postgres, user: SeededUser): Promise<boolean> {
  const { id, email, merchantId, passwordHash } = user;
  const role = merchantId === null ? 'admin' : 'owner';
  const rows = await sql`
    insert into users (id, email, merchant_id, role, password_hash, verified_at)
    values (${id}, ${email}, ${merchantId}, ${role}, ${passwordHash}, now())
    on conflict (email) do nothing returning 1`;
  return rows.length === 1;
}

export interface LoginRow {
  readonly id: UserId;
  readonly merchantId: MerchantId | null;
  readonly email: string;
  readonly language: string;
  /** null for an invited user, who cannot log in yet, and for a disabled administrator. */
  readonly passwordHash: string | null;
  /** Sealed; null without a confirmed second factor. */
  readonly totpSecret: string | null;
}

/** Empty if the address is not registered. */
export async function findLogin(sql: Postgres, email: string): Promise<LoginRow[]> {
  return sql<LoginRow[]>`
    select id, merchant_id as "merchantId", email, language,
           case when disabled_at is null then password_hash end as "passwordHash",
           case when totp_confirmed_at is not null then totp_secret end as "totpSecret"
      from users where email = ${email}`;
}

export interface UserRow {
  readonly id: UserId;
  readonly email: string;
  readonly role: string;
  readonly language: string;
  readonly isActive: boolean;
  readonly isVerified: boolean;
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
  readonly createdAt: Date;
}

const selectColumns = (sql: Postgres) => sql`
  id, email, role, language, password_hash is not null as "isActive",
  verified_at is not null as "isVerified", totp_confirmed_at is not null as "hasTotp",
  (select count(*)::integer from recovery_codes r where r.user_id = id) as "recoveryCodesLeft",
  created_at as "createdAt"`;

/** Empty if the user does not exist. */
export async function findUser(sql: Postgres, id: UserId): Promise<UserRow[]> {
  return sql<UserRow[]>`select ${selectColumns(sql)} from users where id = ${id}`;
}

/** Lists all users of a merchant, oldest first; `inviteUser` bounds their number. */
export async function listUsers(sql: Postgres, merchantId: MerchantId): Promise<UserRow[]> {
  return sql<UserRow[]>`
    select ${selectColumns(sql)} from users where merchant_id = ${merchantId} order by created_at, id`;
}

export interface OwnerContact {
  readonly email: string;
  readonly language: string;
}

/** The owners of a merchant who have proven their address. */
export async function listOwners(sql: Postgres, merchantId: MerchantId): Promise<OwnerContact[]> {
  return sql<OwnerContact[]>`
    select email, language from users
     where merchant_id = ${merchantId} and role = 'owner' and verified_at is not null
     order by created_at, id`;
}

export interface Invitation {
  readonly userId: UserId;
  readonly merchantId: MerchantId;
  readonly email: string;
  readonly role: string;
  readonly language: string;
  readonly link: NewLink;
  readonly mail: Mail;
}

export const MAX_USERS = 100;

/** Empty if the address is registered or the merchant already has MAX_USERS. */
export async function inviteUser(
  sql: Postgres,
  actor: Actor,
  invitation: Invitation,
): Promise<UserRow[]> {
  const { userId, merchantId, email, role, language, link, mail } = invitation;
  return sql<UserRow[]>`
    with ${selectActor(sql, actor)},
    new_user as (
      insert into users (id, email, merchant_id, role, language)
      select ${userId}, ${email}, ${merchantId}, ${role}, ${language} from acting
       where (select count(*) from users where merchant_id = ${merchantId}) < ${MAX_USERS}
      on conflict (email) do nothing returning *),
    link as (
      insert into one_time_links (digest, purpose, user_id, expires_at)
      select decode(${link.digest}, 'hex'), 'invite', id, ${link.expiresAt} from new_user),
    mailed as (${insertMailFrom(sql, mail, 'new_user')})
    select ${selectColumns(sql)} from new_user`;
}

export type UserChange = 'done' | 'missing' | 'last_owner';

export interface UserOfMerchant {
  readonly merchantId: MerchantId;
  readonly userId: UserId;
}

export async function changeRole(
  sql: Postgres,
  actor: Actor,
  { merchantId, userId }: UserOfMerchant,
  role: string,
): Promise<UserChange> {
  const rows = await sql<{ result: UserChange }[]>`
    with ${nameActor(sql, actor)}
    select change_role(${actor.sessionId ?? null}, ${merchantId}, ${userId}, ${role}) as result from acting where is_set`;
  return rows[0]?.result ?? 'missing';
}

export async function removeUser(
  sql: Postgres,
  actor: Actor,
  { merchantId, userId }: UserOfMerchant,
): Promise<UserChange> {
  const rows = await sql<{ result: UserChange }[]>`
    with ${nameActor(sql, actor)}
    select remove_user(${actor.sessionId ?? null}, ${merchantId}, ${userId}) as result from acting where is_set`;
  return rows[0]?.result ?? 'missing';
}
