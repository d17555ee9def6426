// Sessions of users, found by the digest of their token. They are not cached, so that an ended session stops at once.
import type { MerchantId, PasskeyId, SessionId, UserId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import { type Actor, nameActor, selectActor } from '../operations/audit.js';

/** `last_used_at` is written at most this often, so that most look-ups only read. */
const TOUCH_EVERY = '60 seconds';

export interface SessionRow {
  readonly id: SessionId;
  readonly userId: UserId;
  /** null for an administrator. */
  readonly merchantId: MerchantId | null;
  readonly role: string;
  readonly email: string;
  readonly isVerified: boolean;
  readonly hasSecondFactor: boolean;
  /** Ended by a user, expired, or idle for too long. */
  readonly hasEnded: boolean;
}

/** Finds a session, and records its use if it has not ended. Empty if there is none. */
export async function findSession(
  sql: Postgres,
  digest: string,
  idleSeconds: number,
): Promise<SessionRow[]> {
  return sql<SessionRow[]>`
    with found as (
      select s.id, s.user_id, s.last_used_at,
             s.ended_at is not null or s.expires_at <= now()
               or s.last_used_at <= now() - make_interval(secs => ${idleSeconds}::integer) as has_ended
        from sessions s where s.digest = decode(${digest}, 'hex')),
    touched as (
      update sessions set last_used_at = now()
       where id in (select id from found where not has_ended
                       and last_used_at < now() - ${TOUCH_EVERY}::interval))
    select f.id, f.user_id as "userId", u.merchant_id as "merchantId", u.role, u.email,
           u.verified_at is not null as "isVerified",
           u.totp_confirmed_at is not null or u.passkeys > 0 as "hasSecondFactor", f.has_ended as "hasEnded"
      from found f join users u on u.id = f.user_id`;
}

/** The roles of the users of those sessions that have not ended. */
export async function findSessionRoles(
  sql: Postgres,
  ids: readonly SessionId[],
  idleSeconds: number,
): Promise<ReadonlyMap<SessionId, string>> {
  const rows = await sql<{ readonly id: SessionId; readonly role: string }[]>`
    select s.id, u.role from sessions s join users u on u.id = s.user_id
     where s.id = any(${[...ids]}::text[]) and s.ended_at is null and s.expires_at > now()
       and s.last_used_at > now() - make_interval(secs => ${idleSeconds}::integer)`;
  return new Map(rows.map(({ id, role }) => [id, role]));
}

export const BROWSERS = ['chrome', 'edge', 'firefox', 'opera', 'safari', 'samsung'] as const;
export const SYSTEMS = ['android', 'chromeos', 'ios', 'linux', 'macos', 'windows'] as const;

export interface SessionDevice {
  readonly browser: (typeof BROWSERS)[number];
  readonly system: (typeof SYSTEMS)[number];
}

export interface NewSession {
  readonly id: SessionId;
  readonly userId: UserId;
  readonly digest: string;
  readonly address: string;
  /** null: the client named none. */
  readonly device: SessionDevice | null;
  readonly expiresAt: Date;
  /** The hash that the password was checked against, so that no session begins after a password change. */
  readonly passwordHash: string;
  /** The sealed secret of the second factor that was checked; null: there was none. */
  readonly totpSecret: string | null;
  /** The number of passkeys when the factor was checked. */
  readonly passkeys: number;
  /** That was checked; null: none. */
  readonly passkeyId: PasskeyId | null;
}

/** Returns false if the password or the second factor was changed, or the user disabled, meanwhile. */
export async function createSession(sql: Postgres, session: NewSession): Promise<boolean> {
  const { id, userId, digest, address, device, expiresAt, passwordHash } = session;
  const { totpSecret, passkeys, passkeyId } = session;
  const { browser = null, system = null } = device ?? {};
  const rows = await sql`
    with ${selectActor(sql, { userId, address })}
    insert into sessions (id, user_id, digest, address, browser, system, expires_at)
    select ${id}, u.id, decode(${digest}, 'hex'), ${address}, ${browser}::text, ${system}::text, ${expiresAt}
      from acting, users u
     where u.id = ${userId} and u.password_hash = ${passwordHash} and u.disabled_at is null
       and case when u.totp_confirmed_at is not null then u.totp_secret end
           is not distinct from ${totpSecret}::text
       and u.passkeys = ${passkeys}
       and (${passkeyId}::text is null or exists (select from passkeys p where p.id = ${passkeyId} and p.user_id = u.id))
       for share of u
    returning 1`;
  return rows.length === 1;
}

export interface ListedSession {
  readonly id: SessionId;
  readonly address: string;
  readonly device: SessionDevice | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

const MAX_LISTED = 100;

/** Lists the active sessions, newest first. */
export async function listSessions(
  sql: Postgres,
  userId: UserId,
  idleSeconds: number,
): Promise<ListedSession[]> {
  return sql<ListedSession[]>`
    select id, address, case when browser is not null
             then json_build_object('browser', browser, 'system', system) end as device,
           created_at as "createdAt", last_used_at as "lastUsedAt",
           expires_at as "expiresAt"
      from sessions
     where user_id = ${userId} and ended_at is null and expires_at > now()
       and last_used_at > now() - make_interval(secs => ${idleSeconds}::integer)
     order by created_at desc, id desc limit ${MAX_LISTED}`;
}

/** Returns false if the actor has no such active session. */
export async function endSession(sql: Postgres, actor: Actor, id: SessionId): Promise<boolean> {
  const rows = await sql`
    with ${nameActor(sql, actor)}
    update sessions set ended_at = now() from acting
     where id = ${id} and user_id = ${actor.userId} and ended_at is null and expires_at > now()
    returning 1`;
  return rows.length === 1;
}

export async function endOtherSessions(
  sql: Postgres,
  actor: Actor,
  keep: SessionId,
): Promise<void> {
  await sql`
    with ${nameActor(sql, actor)}
    update sessions set ended_at = now() from acting
     where user_id = ${actor.userId} and id <> ${keep} and ended_at is null`;
}
