// The password and second factor of a user.
import type { SessionId, UserId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import { type Mail, insertMailFrom } from './mails.js';

export interface PasswordChange {
  readonly userId: UserId;
  /** The hash that the old password was checked against. */
  readonly oldHash: string;
  readonly newHash: string;
  /** The only session that does not end. */
  readonly keep: SessionId;
  /** Notifies the user. */
  readonly mail: Mail;
}

/** Returns false if the password was changed meanwhile. */
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

/** Stores an unconfirmed secret; false if a confirmed one exists. */
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

/** Returns false if the secret was replaced or confirmed meanwhile. */
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

/** Marks the code of a time step as used; false if it or a later one was used before. */
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
