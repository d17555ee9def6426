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
  readonly action: string | null;
  /** Included. */
  readonly from: Date | null;
  /** Not included. */
  readonly to: Date | null;
  /** Only entries older than this one; null: from the newest. */
  readonly olderThan: string | null;
}

export interface AuditPage {
  readonly rows: readonly AuditRow[];
  /** The entry where the search for an action ended; null: the page is full, or the log has ended. */
  readonly stoppedAt: string | null;
}

/** Actions and the beginning of a period have no index in this order: rare entries are found over several pages. */
const ENTRIES_SCANNED = 20_000;

/** Newest first. A filter that is not set is left out: a plan for all cases at once read the whole log for one page. */
export async function listAudit(
  sql: Postgres,
  filter: AuditFilter,
  limit: number,
): Promise<AuditPage> {
  const { action, from } = filter;
  const isSearching = action !== null || from !== null;
  const among = filterByIndex(sql, filter);
  const most = isSearching ? sql.unsafe(`limit ${ENTRIES_SCANNED}`) : sql`limit ${limit}`;
  const rows = await sql<AuditRow[]>`
    select a.id::text as id, a.at, a.actor, u.email, a.address, a.action, a.target,
           ${mergePersonal(sql, 'before')}, ${mergePersonal(sql, 'after')}
      from (select * from audit_log a where ${among} order by a.id desc ${most}) as a
      left join users u on u.id = a.actor
     where true
     ${action === null ? sql`` : sql`and a.action = ${action}`}
     ${from === null ? sql`` : sql`and a.at >= ${from}`}
     order by a.id desc limit ${limit}`;
  if (!isSearching || rows.length === limit) return { rows, stoppedAt: null };
  const [last] = await sql<{ id: string; at: Date }[]>`
    select id::text, at from audit_log a where ${among}
     order by a.id desc ${sql.unsafe(`limit 1 offset ${ENTRIES_SCANNED - 1}`)}`;
  const isOver = last === undefined || (from !== null && isBefore(last.at, from));
  return { rows, stoppedAt: isOver ? null : last.id };
}

/** Ids follow the times, but for entries of transactions that ran side by side. */
const SIDE_BY_SIDE_S = 60;

const isBefore = (at: Date, from: Date): boolean =>
  at.getTime() < from.getTime() - SIDE_BY_SIDE_S * 1_000;

function filterByIndex(sql: Postgres, { actor, target, to, olderThan }: AuditFilter) {
  const nothing = sql``;
  return sql`true
     ${actor === null ? nothing : sql`and a.actor = ${actor}`}
     ${target === null ? nothing : sql`and a.target = ${target}`}
     ${
       to === null
         ? nothing
         : sql`and a.at < ${to} and a.id < (select find_audit_place(
                 ${to}::timestamptz + make_interval(secs => ${SIDE_BY_SIDE_S})))`
     }
     ${olderThan === null ? nothing : sql`and a.id < ${olderThan}::bigint`}`;
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

/** In how many rows `eraseAuditedUser` would erase addresses. */
export async function countAuditedUser(sql: Postgres, userId: UserId): Promise<number> {
  const rows = await sql<{ count: number }[]>`
    select count(*)::integer as count from audit_log
     where (actor = ${userId} or target = ${userId})
       and salt is not null and num_nonnulls(address, personal) > 0`;
  return rows[0]?.count ?? 0;
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
