// A user's own password and second factor.
import type { SessionId, UserId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import { type Mail, insertMailFrom } from './mails.js';

export interface PasswordChange {
  readonly userId: UserId;
  /** What the old password was checked against. */
  readonly oldHash: string;
  readonly newHash: string;
  /** The one session that goes on. */
  readonly keep: SessionId;
  /** Tells the user of it. */
  readonly mail: Mail;
}

/** False: the password was changed meanwhile. */
export async function changePassword(sql: Postgres, change: PasswordChange): Promise<boolean> {
  const { userId, oldHash, newHash, keep, mail } = change;
  const rows = await sql`
    with tried as (
      select change_password(${userId}, ${oldHash}, ${newHash}, ${keep}) as is_done),
    changed as materialized (select 1 from tried where is_done),
    mailed as (${insertMailFrom(sql, mail, 'changed')})
    select 1 from changed`;
  return rows.length === 1;
}

/** Keeps a secret that counts once it is confirmed; false: a confirmed one is there already. */
export async function setTotpSecret(
  sql: Postgres,
  userId: UserId,
  sealedSecret: string,
): Promise<boolean> {
  const rows = await sql`
    update users set totp_secret = ${sealedSecret}, totp_step = 0
     where id = ${userId} and totp_confirmed_at is null returning 1`;
  return rows.length === 1;
}

export interface TotpRow {
  readonly sealedSecret: string | null;
  readonly isConfirmed: boolean;
}

export async function findTotp(sql: Postgres, userId: UserId): Promise<TotpRow[]> {
  return sql<TotpRow[]>`
    select totp_secret as "sealedSecret", totp_confirmed_at is not null as "isConfirmed"
      from users where id = ${userId}`;
}

/** False: another secret was set, or one was confirmed, meanwhile. */
export async function confirmTotp(
  sql: Postgres,
  userId: UserId,
  sealedSecret: string,
  step: number,
): Promise<boolean> {
  const rows = await sql`
    update users set totp_confirmed_at = now(), totp_step = ${step}
     where id = ${userId} and totp_secret = ${sealedSecret} and totp_confirmed_at is null
    returning 1`;
  return rows.length === 1;
}

/** Takes the code of a step; false: it, or a later one, was taken before. */
export async function consumeTotpStep(
  sql: Postgres,
  userId: UserId,
  step: number,
): Promise<boolean> {
  const rows = await sql`
    update users set totp_step = ${step} where id = ${userId} and totp_step < ${step} returning 1`;
  return rows.length === 1;
}

export async function removeTotp(sql: Postgres, userId: UserId): Promise<void> {
  await sql`
    update users set totp_secret = null, totp_confirmed_at = null where id = ${userId}`;
}
