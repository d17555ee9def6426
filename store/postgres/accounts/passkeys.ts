// Passkeys of users, the challenges of their ceremonies, and the codes that an assertion gives for a step-up.
import type { PasskeyId, SessionId, UserId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import { type Actor, nameActor } from '../operations/audit.js';
import { insertMailFrom, type Mail } from './mails.js';

export const MAX_PASSKEYS = 20;
/** Ceremonies that one user has open; the oldest ones are given up beyond. */
const MAX_CHALLENGES = 10;

export interface PasskeyRow {
  readonly id: PasskeyId;
  readonly name: string;
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** Oldest first. */
export async function listPasskeys(sql: Postgres, userId: UserId): Promise<PasskeyRow[]> {
  return sql<PasskeyRow[]>`
    select id, name, credential_id as "credentialId", public_key as "publicKey",
           sign_count::float8 as "signCount", to_json(transports) as transports, is_backup_eligible as "isBackupEligible",
           is_backed_up as "isBackedUp", created_at as "createdAt", last_used_at as "lastUsedAt"
      from passkeys where user_id = ${userId} order by created_at, id limit ${MAX_PASSKEYS}`;
}

export type NewPasskey = Omit<PasskeyRow, 'createdAt' | 'lastUsedAt'>;

export interface PasskeyAddition {
  readonly passkey: NewPasskey;
  /** Hexadecimal SHA-256 of recovery codes, in case this is the first factor of the user. */
  readonly recoveryDigests: readonly string[];
  /** Notifies the user. */
  readonly mail: Mail;
}

/** `known`: somebody has registered the credential. */
export type PasskeyResult = 'first' | 'added' | 'full' | 'known';

/** Also ends every other session of the user. */
export async function addPasskey(
  sql: Postgres,
  actor: Actor,
  { passkey, recoveryDigests, mail }: PasskeyAddition,
): Promise<PasskeyResult> {
  const { id, name, credentialId, publicKey, signCount, transports } = passkey;
  const { userId, sessionId = null } = actor;
  const rows = await sql<{ result: PasskeyResult }[]>`
    with ${nameActor(sql, actor)},
    tried as materialized (
      select add_passkey(${userId}, ${sessionId},
               row(${id}::text, ${userId}::text, ${name}::text, decode(${credentialId.toString('hex')}, 'hex'),
                   decode(${publicKey.toString('hex')}, 'hex'), ${signCount}::bigint, ${[...transports]}::text[],
                   ${passkey.isBackupEligible}::boolean, ${passkey.isBackedUp}::boolean, now(), null::timestamptz)::passkeys,
               ${[...recoveryDigests]}::text[], ${MAX_PASSKEYS}) as result
        from acting where is_set),
    changed as materialized (select 1 from tried where result in ('first', 'added')),
    mailed as (${insertMailFrom(sql, mail, 'changed')})
    select result from tried`;
  return rows[0]?.result ?? 'known';
}

/** Returns false if the user has no such passkey. */
export async function renamePasskey(
  sql: Postgres,
  actor: Actor,
  id: PasskeyId,
  name: string,
): Promise<boolean> {
  const rows = await sql`
    with ${nameActor(sql, actor)}
    update passkeys set name = ${name} from acting where id = ${id} and user_id = ${actor.userId} returning 1`;
  return rows.length === 1;
}

/** Also ends every other session of the user; false if the user has no such passkey. */
export async function removePasskey(
  sql: Postgres,
  actor: Actor,
  id: PasskeyId,
  mail: Mail,
): Promise<boolean> {
  const { userId, sessionId = null } = actor;
  const rows = await sql`
    with ${nameActor(sql, actor)},
    tried as materialized (
      select remove_passkey(${userId}, ${sessionId}, ${id}) as is_done from acting where is_set),
    changed as materialized (select 1 from tried where is_done),
    mailed as (${insertMailFrom(sql, mail, 'changed')})
    select 1 from changed`;
  return rows.length === 1;
}

export interface PasskeyUse {
  readonly id: PasskeyId;
  readonly signCount: number;
  readonly isBackedUp: boolean;
}

/** Records an assertion; false if the passkey was removed, or another assertion counted as far meanwhile. */
export async function recordPasskeyUse(
  sql: Postgres,
  { id, signCount, isBackedUp }: PasskeyUse,
): Promise<boolean> {
  const rows = await sql`
    update passkeys set sign_count = ${signCount}, is_backed_up = ${isBackedUp}, last_used_at = now()
     where id = ${id} and (sign_count < ${signCount} or (sign_count = 0 and ${signCount} = 0)) returning 1`;
  return rows.length === 1;
}

export const CHALLENGE_PURPOSES = ['register', 'login', 'step_up'] as const;
export type ChallengePurpose = (typeof CHALLENGE_PURPOSES)[number];

/** A challenge is good for one ceremony of one user, and of one session or login. */
export interface ChallengeOwner {
  readonly userId: UserId;
  readonly purpose: ChallengePurpose;
  /** null: of a login. */
  readonly sessionId: SessionId | null;
}

/** `challenge` is hexadecimal. */
export async function storeChallenge(
  sql: Postgres,
  { userId, purpose, sessionId }: ChallengeOwner,
  challenge: string,
  lifeMs: number,
): Promise<void> {
  await sql`
    with room as (
      delete from passkey_challenges where challenge in (
        select challenge from passkey_challenges
         where user_id = ${userId} and session_id is not distinct from ${sessionId}::text
         order by expires_at desc offset ${MAX_CHALLENGES - 1}))
    insert into passkey_challenges (challenge, user_id, purpose, session_id, expires_at)
    values (decode(${challenge}, 'hex'), ${userId}, ${purpose}, ${sessionId},
            now() + make_interval(secs => ${lifeMs / 1_000}))`;
}

/** Uses up a challenge; false if the owner has no such one, or it has expired. */
export async function takeChallenge(
  sql: Postgres,
  { userId, purpose, sessionId }: ChallengeOwner,
  challenge: string,
): Promise<boolean> {
  const rows = await sql<{ isValid: boolean }[]>`
    delete from passkey_challenges
     where challenge = decode(${challenge}, 'hex') and user_id = ${userId} and purpose = ${purpose}
       and session_id is not distinct from ${sessionId}::text
    returning expires_at > now() as "isValid"`;
  return rows[0]?.isValid === true;
}

export async function storeStepUpCode(
  sql: Postgres,
  sessionId: SessionId,
  digest: string,
  expiresAt: Date,
): Promise<void> {
  await sql`
    insert into step_up_codes (digest, session_id, expires_at)
    values (decode(${digest}, 'hex'), ${sessionId}, ${expiresAt})`;
}

/** Uses up a code; false if the session has no such one, or it has expired. */
export async function consumeStepUpCode(
  sql: Postgres,
  sessionId: SessionId,
  digest: string,
): Promise<boolean> {
  const rows = await sql<{ isValid: boolean }[]>`
    delete from step_up_codes where digest = decode(${digest}, 'hex') and session_id = ${sessionId}
    returning expires_at > now() as "isValid"`;
  return rows[0]?.isValid === true;
}
