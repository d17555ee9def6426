// Replays of all deliveries that match a filter: a stored job with one part for each endpoint, which any webhooks process
// continues (step-replays.ts). A merchant has one running job at a time. `withPending` serves the recovery after an
// outage: it includes failed deliveries that wait for their next attempt.
import type { Postgres } from '#store/postgres/client.js';
import {
  selectAuditValues,
  type DoneBy,
  type DeadLetterScope,
  describeScope,
  selectEndpointsIn,
} from './dead-letter-scope.js';

export interface ReplayScope extends DeadLetterScope {
  /** Failed deliveries that wait for their next attempt become due at once, too. */
  readonly withPending: boolean;
}

export interface ReplayJob {
  readonly id: string;
  readonly status: 'running' | 'completed';
  /** Deliveries that matched at the start. */
  readonly total: number;
  /** Deliveries that were made due so far; their own rows have the outcomes. */
  readonly done: number;
  /** Deliveries that stay dead because their endpoint was deactivated or deleted, or failed for an hour. */
  readonly failed: number;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
}

/** The preview of a replay. */
export async function countReplayable(sql: Postgres, scope: ReplayScope): Promise<number> {
  const rows = await sql<{ count: number }[]>`
    select coalesce(sum(f.count), 0)::int as count
      from webhook_endpoints w cross join lateral (${countFailed(sql, scope)}) f
     where w.active and ${selectEndpointsIn(sql, scope)}`;
  return rows[0]?.count ?? 0;
}

/** For the endpoint `w`. */
const countFailed = (sql: Postgres, { type, reason, from, to, withPending }: ReplayScope) => sql`
  select count(*)::int as count
    from failed_webhooks(w.id, ${type}::text, ${reason}::text,
                         coalesce(${from}::timestamptz, '-infinity'),
                         least(${to}::timestamptz, now()), ${withPending}::boolean)`;

/** `replay_running`: the merchant's former job is not complete. */
export async function startReplay(
  sql: Postgres,
  id: string,
  scope: ReplayScope,
  by: DoneBy,
): Promise<ReplayJob | 'replay_running'> {
  const { merchantId, type, reason, from, to, withPending } = scope;
  const audit = selectAuditValues(sql, { ...by, merchantId }, 'webhooks.replay', id);
  const rows = await sql`
    with job as (
      insert into webhook_replays (id, merchant_id, type, reason, from_at, until_at, with_pending)
      values (${id}, ${merchantId}, ${type}, ${reason},
              coalesce(${from}::timestamptz, '-infinity'), least(${to}::timestamptz, now()),
              ${withPending})
      on conflict (coalesce(merchant_id, '')) where completed_at is null do nothing
      returning id, from_at),
    parts as (
      insert into webhook_replay_parts (replay_id, endpoint_id, total, reached_at)
      select job.id, w.id, f.count, job.from_at
        from job, webhook_endpoints w cross join lateral (${countFailed(sql, scope)}) f
       where w.active and f.count > 0 and ${selectEndpointsIn(sql, scope)}
      returning total),
    audited as (
      insert into audit_log (chain, actor, address, action, target, after)
      select ${audit},
             json_build_object('scope', ${describeScope(scope)}::text, 'withPending', ${withPending}::boolean,
                                'total', (select coalesce(sum(total), 0) from parts))::text
        from job)
    select id from job`;
  if (rows.length === 0) return 'replay_running';
  const job = await findReplay(sql, { id, merchantId });
  if (job === undefined) throw new Error(`replay ${id} was stored but cannot be found`);
  return job;
}

/** `merchantId` null: any merchant, for operators. */
export async function findReplay(
  sql: Postgres,
  { id, merchantId }: { id: string; merchantId: string | null },
): Promise<ReplayJob | undefined> {
  const rows = await sql<ReplayJob[]>`
    select r.id, case when r.completed_at is null then 'running' else 'completed' end as status,
           coalesce(sum(p.total), 0)::int as total, coalesce(sum(p.done), 0)::int as done,
           coalesce(sum(p.failed), 0)::int as failed, r.created_at as "createdAt",
           r.completed_at as "completedAt"
      from webhook_replays r left join webhook_replay_parts p on p.replay_id = r.id
     where r.id = ${id} and (${merchantId}::text is null or r.merchant_id = ${merchantId})
     group by r.id`;
  return rows[0];
}
