// One-time links: they verify an e-mail address or let its owner choose a password.
import type { UserId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import { ANONYMOUS, selectActor } from '../operations/audit.js';
import { type Mail, insertMailFrom, insertMailsFrom } from './mails.js';
import type { NewLink } from './users.js';

export interface MailedLink {
  readonly userId: UserId;
  readonly purpose: 'verify' | 'reset';
  readonly link: NewLink;
  readonly mail: Mail;
  /** Of the client that asked for it. */
  readonly address: string;
}

/** Stores a link together with the mail that contains it; neither if the mail is beyond the limits of its mailbox. */
export async function createMailedLink(
  sql: Postgres,
  { userId, purpose, link, mail, address }: MailedLink,
): Promise<void> {
  await sql`
    with ${selectActor(sql, { userId: ANONYMOUS, address })},
    held as materialized (select lock_address(${mail.recipient}) as is_held from acting where is_set),
    turn as materialized (
      select wait_for_mail(${mail.budget}, null, digest_mailbox(${mail.recipient}), 0) as wait_s
        from held where is_held),
    link as (
      insert into one_time_links (digest, purpose, user_id, expires_at)
      select decode(${link.digest}, 'hex'), ${purpose}, id, ${link.expiresAt}
        from users, turn where id = ${userId} and wait_s = 0
      returning user_id)
    ${insertMailFrom(sql, mail, 'link')}`;
}

/** A link names its user, and so the actor of what it does. */
const actByLink = (sql: Postgres, { digest, address }: UsedLink) => sql`
  acting as materialized (
    select act_as(user_id, ${address}) as is_set from one_time_links
     where digest = decode(${digest}, 'hex'))`;

export interface UsedLink {
  /** Hexadecimal SHA-256 of the token. */
  readonly digest: string;
  /** Of the client that uses it. */
  readonly address: string;
}

export interface VerificationOwner {
  readonly id: UserId;
  readonly email: string;
  readonly passwordHash: string | null;
}

/** The user of a link that verifies an address; empty if the link is unknown, expired or already used. */
export async function findVerification(
  sql: Postgres,
  digest: string,
): Promise<VerificationOwner[]> {
  return sql<VerificationOwner[]>`
    select u.id, u.email, u.password_hash as "passwordHash"
      from one_time_links l join users u on u.id = l.user_id
     where l.digest = decode(${digest}, 'hex') and l.purpose = 'verify'
       and l.used_at is null and l.expires_at > now()`;
}

/**
 * Verifies the address of the link's user, and clears what others have registered with it (functions/accounts.sql). Returns
 * false if the link is invalid, the password is not `checkedHash` any more, or another user has verified the address.
 */
export async function verifyAddress(
  sql: Postgres,
  used: UsedLink,
  checkedHash: string,
): Promise<boolean> {
  const rows = await sql`
    with ${actByLink(sql, used)},
    tried as materialized (
      select verify_address(${used.digest}, ${checkedHash}) as is_done from acting where is_set)
    select 1 from tried where is_done`;
  return rows.length === 1;
}

export interface LinkOwner {
  readonly email: string;
  readonly language: string;
  readonly isInvited: boolean;
}

/** The user of a link to choose a password, valid or not; empty if there is none. */
export async function findLinkOwner(sql: Postgres, digest: string): Promise<LinkOwner[]> {
  return sql<LinkOwner[]>`
    select u.email, u.language, l.purpose = 'invite' as "isInvited"
      from one_time_links l join users u on u.id = l.user_id
     where l.digest = decode(${digest}, 'hex') and l.purpose in ('reset', 'invite')`;
}

/** Sets the password chosen with a link, ends all sessions and writes the mails; empty if the link is invalid. */
export async function choosePassword(
  sql: Postgres,
  used: UsedLink,
  passwordHash: string,
  mails: readonly Mail[],
): Promise<UserId[]> {
  const rows = await sql<{ id: UserId }[]>`
    with ${actByLink(sql, used)},
    tried as materialized (
      select choose_password(${used.digest}, ${passwordHash}) as id from acting where is_set),
    chosen as materialized (select id from tried where id is not null),
    mailed as (${insertMailsFrom(sql, mails, 'chosen')})
    select id from chosen`;
  return rows.map(({ id }) => id);
}

/** Deletes expired links, challenges, codes and sessions, and mails older than 30 days. */
export async function deleteExpiredAccounts(sql: Postgres): Promise<void> {
  await sql`
    with links as (delete from one_time_links where expires_at < now() - interval '7 days'),
    challenges as (delete from passkey_challenges where expires_at < now()),
    codes as (delete from step_up_codes where expires_at < now()),
    ended as (delete from sessions where expires_at < now() - interval '30 days'),
    notices as (delete from notices where at < now() - interval '30 days')
    delete from mails where created_at < now() - interval '30 days'`;
}
