// The actor of a change, and the audit log. Triggers record every change of an audited row; a statement that
// changes one names its actor, and actions that change no row are recorded here.
import type { MerchantId, SessionId, UserId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';

/** The actor of what a client does that has not logged in. */
export const ANONYMOUS = 'anonymous';

export interface Actor {
  readonly userId: UserId | typeof ANONYMOUS;
  /** Of the client. */
  readonly address: string;
  /** Absent: the actor acts without a session, as in operators' commands. */
  readonly sessionId?: SessionId;
}

/**
 * Begins a statement that changes an audited row: `with ${selectActor(sql, actor)} update … from acting`. The rest must
 * read `acting`, or Postgres does not evaluate it. The statement fails if the session has ended, also when it ends while the
 * statement waits (`hold_session`). null: the actor of the connection (PoolOptions).
 */
export function selectActor(sql: Postgres, actor: Actor | null) {
  if (actor === null) return sql`acting as materialized (select true as is_set)`;
  const { userId, address, sessionId = null } = actor;
  return sql`acting as materialized (
      select act_as(${userId}, ${address}) as is_set where hold_session(${sessionId}))`;
}

/**
 * The same without holding the session, for functions that lock several users in the order of their ids, for changes of the
 * actor's own user, and for the end of sessions.
 */
export function nameActor(sql: Postgres, { userId, address }: Actor) {
  return sql`acting as materialized (select act_as(${userId}, ${address}) as is_set)`;
}

/**
 * The chain of rows about a merchant; without one, of what belongs to no merchant. A merchant that does not exist gets no
 * chain, since clients send ids too.
 */
export const selectChain = (sql: Postgres, merchantId: string | null) =>
  sql`coalesce((select id from merchants where id = ${merchantId}::text), '')`;

export interface Action {
  /** The row is in the chain of this merchant (`selectChain`). */
  readonly merchantId: MerchantId | null;
  readonly action: string;
  readonly target: string;
  /** JSON without secrets. */
  readonly details: string | null;
}

export async function recordAction(sql: Postgres, actor: Actor, done: Action): Promise<void> {
  const { merchantId, action, target, details } = done;
  await sql`
    insert into audit_log (chain, actor, address, action, target, after)
    values (${selectChain(sql, merchantId)}, ${actor.userId}, ${actor.address}, ${action}, ${target}, ${details})`;
}

export interface AuditRow {
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly email: string | null;
  readonly address: string | null;
  readonly action: string;
  readonly target: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface AuditFilter {
  readonly actor: string | null;
  readonly target: string | null;
  /** Only entries older than this one; null: from the newest. */
  readonly olderThan: string | null;
}

/** Newest first. A filter that is not set is left out: a plan for all cases at once read the whole log for one page. */
export async function listAudit(
  sql: Postgres,
  { actor, target, olderThan }: AuditFilter,
  limit: number,
): Promise<AuditRow[]> {
  const nothing = sql``;
  return sql<AuditRow[]>`
    select a.id::text as id, a.at, a.actor, u.email, a.address, a.action, a.target,
           ${mergePersonal(sql, 'before')}, ${mergePersonal(sql, 'after')}
      from audit_log a left join users u on u.id = a.actor
     where true
     ${actor === null ? nothing : sql`and a.actor = ${actor}`}
     ${target === null ? nothing : sql`and a.target = ${target}`}
     ${olderThan === null ? nothing : sql`and a.id < ${olderThan}::bigint`}
     order by a.id desc limit ${limit}`;
}

/** The columns that changed, with those that are personal and were not erased. */
const mergePersonal = (sql: Postgres, name: 'before' | 'after') => sql`
  case when a.personal::jsonb -> ${name}::text is null then a.${sql(name)}
       else (coalesce(a.${sql(name)}::jsonb, '{}') || (a.personal::jsonb -> ${name}::text))::text end
    as ${sql(name)}`;

/** Erases the addresses that the log holds of a user; returns in how many rows. */
export async function eraseAuditedUser(sql: Postgres, userId: UserId): Promise<number> {
  const rows = await sql<{ erased: number }[]>`select erase_audited_user(${userId}) as erased`;
  return rows[0]?.erased ?? 0;
}

/** `userId` null: nobody has registered the address. */
export async function noteFailedLogin(
  sql: Postgres,
  userId: UserId | null,
  address: string,
): Promise<void> {
  await sql`select note_failed_login(${userId}, ${address})`;
}

const MAX_REPORTED = 1_000;

/** Records how many logins failed in the hours that are over, per account. */
export async function reportFailedLogins(sql: Postgres): Promise<void> {
  for (;;) {
    const rows = await sql<{ reported: number }[]>`
      select report_failed_logins(${MAX_REPORTED}) as reported`;
    if ((rows[0]?.reported ?? 0) < MAX_REPORTED) return;
  }
}
