// Users: registration, invitations, look-ups by address or id, and roles.
import type { MerchantId, UserId } from '#actors/core/ids.js';
import { nameActor, selectActor, type Actor } from '../operations/audit.js';
import type { Postgres } from '../client.js';
import { insertMailFrom, insertMailsFrom, type Mail } from './mails.js';

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
  /** With the link. */
  readonly mail: Mail;
  /** To a user who has verified the address. */
  readonly knownMail: Mail;
  /** Of the client that registers. */
  readonly address: string;
}

/**
 * Part of a larger statement: whether `known` has a row, the link is stored as used. Nobody gets it then, and the statement
 * does the same work as for an address that nobody has verified.
 */
const spendForKnown = (sql: Postgres) => sql`case when exists (select from known) then now() end`;

/**
 * Stores a merchant with its owner, also if the address is verified for another user: that one gets `knownMail` then, and
 * nobody a link that works.
 */
export async function createAccount(sql: Postgres, account: NewAccount): Promise<void> {
  const { merchantId, businessName, userId, email, language, passwordHash, link } = account;
  await sql`
    with ${selectActor(sql, { userId, address: account.address })},
    held as materialized (select lock_address(${email}) as is_held from acting where is_set),
    known as materialized (
      select 1 from users where email = ${email} and verified_at is not null),
    merchant as (
      insert into merchants (id, business_name)
      select ${merchantId}, ${businessName} from held where is_held returning id),
    new_user as (
      insert into users (id, email, merchant_id, role, password_hash, language)
      select ${userId}, ${email}, id, 'owner', ${passwordHash}, ${language} from merchant returning id),
    unknown as materialized (select id from new_user where not exists (select from known)),
    link as (
      insert into one_time_links (digest, purpose, user_id, expires_at, used_at)
      select decode(${link.digest}, 'hex'), 'verify', id, ${link.expiresAt}, ${spendForKnown(sql)} from new_user),
    mailed_known as (${insertMailFrom(sql, account.knownMail, 'known')})
    ${insertMailFrom(sql, account.mail, 'unknown')}`;
}

/** A user that operators' commands and the demo create without registration. */
export interface SeededUser {
  readonly id: UserId;
  readonly email: string;
  /** null for an administrator. */
  readonly merchantId: MerchantId | null;
  readonly role: string;
  readonly passwordHash: string;
}

/** Stores a user with a verified address, and `mails` with it; false and nothing if the address is registered. */
export async function seedUser(
  sql: Postgres,
  user: SeededUser,
  mails: readonly Mail[] = [],
): Promise<boolean> {
  const { id, email, merchantId, role, passwordHash } = user;
  const rows = await sql`
    with seeded as (
      insert into users (id, email, merchant_id, role, password_hash, verified_at)
      values (${id}, ${email}, ${merchantId}, ${role}, ${passwordHash}, now())
      on conflict (email) where verified_at is not null do nothing returning 1),
    mailed as (${insertMailsFrom(sql, mails, 'seeded')})
    select 1 from seeded`;
  return rows.length === 1;
}

export interface LoginRow {
  readonly id: UserId;
  readonly merchantId: MerchantId | null;
  readonly email: string;
  readonly language: string;
  /** The address is proven. */
  readonly isVerified: boolean;
  /** null for an invited user, who cannot log in yet, and for a disabled administrator. */
  readonly passwordHash: string | null;
  /** Sealed; null without a confirmed second factor. */
  readonly totpSecret: string | null;
  /** How many the user has. */
  readonly passkeys: number;
}

const selectLogin = (sql: Postgres) => sql`
  select id, merchant_id as "merchantId", email, language, verified_at is not null as "isVerified",
         case when disabled_at is null then password_hash end as "passwordHash",
         case when totp_confirmed_at is not null then totp_secret end as "totpSecret", passkeys
    from users`;

/**
 * The one user who may log in with the address: the one who verified it, or else the latest one that registered with it.
 * Without such a one, the latest one that was invited, who has no password. Empty: none.
 */
export async function findLogin(sql: Postgres, email: string): Promise<LoginRow[]> {
  return sql<LoginRow[]>`
    ${selectLogin(sql)} where email = ${email}
     order by verified_at is null, password_hash is null, created_at desc, id desc limit 1`;
}

export async function findLoginOf(sql: Postgres, id: UserId): Promise<LoginRow[]> {
  return sql<LoginRow[]>`${selectLogin(sql)} where id = ${id}`;
}

export interface UserRow {
  readonly id: UserId;
  readonly email: string;
  readonly role: string;
  readonly language: string;
  readonly isActive: boolean;
  readonly isVerified: boolean;
  readonly hasTotp: boolean;
  readonly passkeys: number;
  readonly recoveryCodesLeft: number;
  readonly createdAt: Date;
}

const selectColumns = (sql: Postgres) => sql`
  id, email, role, language, password_hash is not null as "isActive",
  verified_at is not null as "isVerified", totp_confirmed_at is not null as "hasTotp", passkeys,
  (select count(*)::integer from recovery_codes r where r.user_id = id) as "recoveryCodesLeft",
  created_at as "createdAt"`;

/** Empty if the user does not exist. */
export async function findUser(sql: Postgres, id: UserId): Promise<UserRow[]> {
  return sql<UserRow[]>`select ${selectColumns(sql)} from users where id = ${id}`;
}

export async function findUserOfMerchant(
  sql: Postgres,
  { merchantId, userId }: UserOfMerchant,
): Promise<UserRow[]> {
  return sql<UserRow[]>`
    select ${selectColumns(sql)} from users where id = ${userId} and merchant_id = ${merchantId}`;
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
  /** With the link. */
  readonly mail: Mail;
  /** To a user who has verified the address. */
  readonly knownMail: Mail;
  readonly ownerMails: readonly Mail[];
}

/** Seconds until the merchant may mail an invitation to this address; 0: now. `inviteUser` decides it again. */
export async function findInvitationWait(
  sql: Postgres,
  merchantId: MerchantId,
  email: string,
): Promise<number> {
  const [row] = await sql<
    { waitS: number }[]
  >`select ${waitForInvitation(sql, merchantId, email)} as "waitS"`;
  return row?.waitS ?? 0;
}

function waitForInvitation(sql: Postgres, merchantId: MerchantId, email: string) {
  return sql`
    wait_for_mail('invite', ${merchantId}, digest_mailbox(${email}), (mail_limits('invite')).hourly)`;
}

export const MAX_USERS = 100;

/** `waitS`: above 0 until another invitation may be mailed. `user` is null then, or if nobody can be invited. */
export interface InvitationResult {
  readonly waitS: number;
  readonly user: UserRow | null;
}

/**
 * No user if the merchant already has such a user, or MAX_USERS, or a limit on mails is reached. If another user has
 * verified the address, that one gets `knownMail` and no link that works: the answer and the list of users are the same as for any
 * address.
 */
export async function inviteUser(
  sql: Postgres,
  actor: Actor,
  invitation: Invitation,
): Promise<InvitationResult> {
  const { userId, merchantId, email, role, language, link } = invitation;
  const { mail, knownMail, ownerMails } = invitation;
  const rows = await sql<(Partial<UserRow> & { readonly waitS: number })[]>`
    with ${selectActor(sql, actor)},
    turn as materialized (
      select ${waitForInvitation(sql, merchantId, email)} as wait_s from acting),
    new_user as (
      insert into users (id, email, merchant_id, role, language, invited_by)
      select ${userId}, ${email}, ${merchantId}, ${role}, ${language}, ${actor.userId} from acting, turn
       where wait_s = 0
         and (select count(*) from users where merchant_id = ${merchantId}) < ${MAX_USERS}
      on conflict (merchant_id, email) do nothing returning *),
    known as materialized (
      select id from new_user
       where exists (select from users where email = ${email} and verified_at is not null)),
    unknown as materialized (select id from new_user where not exists (select from known)),
    link as (
      insert into one_time_links (digest, purpose, user_id, expires_at, used_at)
      select decode(${link.digest}, 'hex'), 'invite', id, ${link.expiresAt}, ${spendForKnown(sql)} from new_user),
    mailed_known as (${insertMailFrom(sql, knownMail, 'known', merchantId)}),
    mailed as (${insertMailFrom(sql, mail, 'unknown', merchantId)}),
    mailed_owners as (${insertMailsFrom(sql, ownerMails, 'new_user')})
    select wait_s as "waitS", ${selectColumns(sql)} from turn left join new_user on true`;
  const [row] = rows;
  if (row === undefined) return { waitS: 0, user: null };
  return { waitS: row.waitS, user: row.id ? (row as UserRow) : null };
}

export type UserChange = 'done' | 'missing' | 'last_owner';

export interface UserOfMerchant {
  readonly merchantId: MerchantId;
  readonly userId: UserId;
}

/** Whether the merchant keeps an owner with a password without this user. The changes below decide it again. */
export async function hasOtherOwner(
  sql: Postgres,
  { merchantId, userId }: UserOfMerchant,
): Promise<boolean> {
  const [row] = await sql<
    { has: boolean }[]
  >`select has_other_owner(${merchantId}, ${userId}) as has`;
  return row?.has === true;
}

/** `mails`: to the owners, stored with the change. */
export interface ToldUserChange extends UserOfMerchant {
  readonly mails: readonly Mail[];
}

export async function changeRole(
  sql: Postgres,
  actor: Actor,
  { merchantId, userId, mails }: ToldUserChange,
  role: string,
): Promise<UserChange> {
  const rows = await sql<{ result: UserChange }[]>`
    with ${nameActor(sql, actor)},
    asked as materialized (
      select change_role(${actor.sessionId ?? null}, ${merchantId}, ${userId}, ${role}) as result
        from acting where is_set),
    made as (select 1 from asked where result = 'done'),
    mailed as (${insertMailsFrom(sql, mails, 'made')})
    select result from asked`;
  return rows[0]?.result ?? 'missing';
}

/** Ends the sessions and the open invitations of the user, and revokes the API keys that the user made if `revokesKeys`. */
export async function removeUser(
  sql: Postgres,
  actor: Actor,
  { merchantId, userId, mails, revokesKeys }: ToldUserChange & { readonly revokesKeys: boolean },
): Promise<UserChange> {
  const rows = await sql<{ result: UserChange }[]>`
    with ${nameActor(sql, actor)},
    asked as materialized (
      select remove_member(${actor.sessionId ?? null}, ${merchantId}, ${userId}, ${revokesKeys}) as result
        from acting where is_set),
    made as (select 1 from asked where result = 'done'),
    mailed as (${insertMailsFrom(sql, mails, 'made')})
    select result from asked`;
  return rows[0]?.result ?? 'missing';
}
