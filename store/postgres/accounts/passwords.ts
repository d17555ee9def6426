// The password and second factor of a user.
import type { SessionId, UserId } from '#actors/core/ids.js';
import { type Actor, nameActor } from '../operations/audit.js';
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
export async function changePassword(
  sql: Postgres,
  actor: Actor,
  change: PasswordChange,
): Promise<boolean> {
  const { userId, oldHash, newHash, keep, mail } = change;
  const rows = await sql`
    with ${nameActor(sql, actor)},
    tried as (
      select change_password(${userId}, ${oldHash}, ${newHash}, ${keep}) as is_done
        from acting where is_set),
    changed as materialized (select 1 from tried where is_done),
    mailed as (${insertMailFrom(sql, mail, 'changed')})
    select 1 from changed`;
  return rows.length === 1;
}

/** Stores an unconfirmed secret; false if a confirmed one exists. */
export async function setTotpSecret(
  sql: Postgres,
  actor: Actor,
  sealedSecret: string,
): Promise<boolean> {
  const rows = await sql`
    with ${nameActor(sql, actor)}
    update users set totp_secret = ${sealedSecret}, totp_step = 0 from acting
     where id = ${actor.userId} and totp_confirmed_at is null returning 1`;
  return rows.length === 1;
}

export interface TotpRow {
  readonly sealedSecret: string | null;
  readonly isConfirmed: boolean;
  /** How many the user has. */
  readonly passkeys: number;
}

export async function findTotp(sql: Postgres, userId: UserId): Promise<TotpRow[]> {
  return sql<TotpRow[]>`
    select totp_secret as "sealedSecret", totp_confirmed_at is not null as "isConfirmed", passkeys
      from users where id = ${userId}`;
}

export interface TotpConfirmation {
  readonly sealedSecret: string;
  /** The time step of the code that confirms it. */
  readonly step: number;
  /** Hexadecimal SHA-256 of the recovery codes. */
  readonly recoveryDigests: readonly string[];
  /** Notifies the user. */
  readonly mail: Mail;
}

/** Also ends every other session of the user; false if the secret was replaced or confirmed meanwhile. */
export async function confirmTotp(
  sql: Postgres,
  actor: Actor,
  { sealedSecret, step, recoveryDigests, mail }: TotpConfirmation,
): Promise<boolean> {
  const { userId, sessionId = null } = actor;
  const change = sql`
    confirm_totp(${userId}, ${sessionId}, ${sealedSecret}, ${step}, ${[...recoveryDigests]}::text[])`;
  return changeFactor(sql, actor, change, mail);
}

/** Returns false if the user has no second factor. */
export async function renewRecoveryCodes(
  sql: Postgres,
  actor: Actor,
  digests: readonly string[],
  mail: Mail,
): Promise<boolean> {
  const { userId, sessionId = null } = actor;
  const change = sql`renew_recovery_codes(${userId}, ${sessionId}, ${[...digests]}::text[])`;
  return changeFactor(sql, actor, change, mail);
}

/** Also ends every other session of the user; false if there is no authenticator app. */
export async function removeTotp(sql: Postgres, actor: Actor, mail: Mail): Promise<boolean> {
  const { userId, sessionId = null } = actor;
  return changeFactor(sql, actor, sql`remove_totp(${userId}, ${sessionId})`, mail);
}

/** Removes the second factors of a user who lost them, and ends all sessions of the user; false if there is none. */
export async function resetFactors(sql: Postgres, userId: UserId, mail: Mail): Promise<boolean> {
  const rows = await sql`
    with changed as materialized (select 1 from reset_factors(${userId}) as is_done where is_done),
    mailed as (${insertMailFrom(sql, mail, 'changed')})
    select 1 from changed`;
  return rows.length === 1;
}

async function changeFactor(
  sql: Postgres,
  actor: Actor,
  change: ReturnType<typeof nameActor>,
  mail: Mail,
): Promise<boolean> {
  const rows = await sql`
    with ${nameActor(sql, actor)},
    tried as materialized (select ${change} as is_done from acting where is_set),
    changed as materialized (select 1 from tried where is_done),
    mailed as (${insertMailFrom(sql, mail, 'changed')})
    select 1 from changed`;
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

/** Uses up a recovery code; false if the user has no such code, or used it before. */
export async function consumeRecoveryCode(
  sql: Postgres,
  actor: Actor,
  digest: string,
): Promise<boolean> {
  const rows = await sql`
    with ${nameActor(sql, actor)}
    delete from recovery_codes using acting where user_id = ${actor.userId} and digest = decode(${digest}, 'hex')
    returning 1`;
  return rows.length === 1;
}
