// Deliveries as the workers need them: with the bytes to send, and which of them are overdue.
import type { Postgres } from '../client.js';

export interface DueDelivery {
  id: string;
  eventId: string;
  endpointId: string;
  /** Made so far, and those of this round. */
  attempts: number;
  step: number;
  /** Below zero: overdue for so long. */
  dueInMs: number;
  /** Since the event happened. */
  ageMs: number;
  /** The envelope, as it was stored. */
  body: string;
}

/** Those of `ids` that are pending; others are left out. */
export async function loadDeliveries(
  sql: Postgres,
  ids: readonly string[],
): Promise<Map<string, DueDelivery>> {
  const rows = await sql<DueDelivery[]>`
    select d.id, d.event_id as "eventId", d.endpoint_id as "endpointId", d.attempts, d.step,
           coalesce(d.body, e.envelope) as body,
           (extract(epoch from d.next_attempt_at - now()) * 1000)::float8 as "dueInMs",
           (extract(epoch from now() - coalesce(e.at, d.created_at)) * 1000)::float8 as "ageMs"
      from webhook_deliveries d
      left join payment_events e on e.payment_id = d.payment_id and e.version = d.version
                                and e.envelope is not null
     where d.id = any(split(${ids.join('\u001f')})) and d.status = 'pending'
       and (d.body is not null or e.envelope is not null)`;
  return new Map(rows.map((row) => [row.id, row]));
}

export interface OverdueDelivery {
  id: string;
  endpointId: string;
  /** Where it stands in the order of the walk, as text. */
  at: string;
}

/** A page of the walk over all overdue deliveries, oldest first, behind `after`. */
export async function findOverdue(
  sql: Postgres,
  after: { at: string; id: string },
  limit: number,
): Promise<OverdueDelivery[]> {
  return sql<OverdueDelivery[]>`
    select id, endpoint_id as "endpointId", next_attempt_at::text as at
      from webhook_deliveries
     where status = 'pending' and next_attempt_at <= now()
       and (next_attempt_at, id) > (${after.at}::text::timestamptz, ${after.id})
     order by next_attempt_at, id limit ${limit}`;
}

export interface Backlog {
  pending: number;
  dead: number;
  /** Events that were not fanned out; counted up to a bound. */
  unpublished: number;
  /** Events whose envelope cannot be read. */
  quarantined: number;
}

const COUNT_LIMIT = 10_000;

/** For the metrics; each figure stops at 10,000 a partition or in all, so that counting stays cheap. */
export async function countBacklog(sql: Postgres): Promise<Backlog> {
  const rows = await sql<Backlog[]>`
    select (select count(*)::int from (select from webhook_deliveries where status = 'pending'
                                        limit ${COUNT_LIMIT * 10}) p) as pending,
           (select count(*)::int from (select from webhook_deliveries where status = 'dead'
                                        limit ${COUNT_LIMIT * 10}) d) as dead,
           (select coalesce(sum(o.count), 0)::int
              from webhook_cursors c cross join lateral (
                select count(*) from (
                  select from payment_events e
                   where e.partition = c.partition and e.envelope is not null
                     and (e.position_ms, e.position_seq, e.index)
                       > (c.position_ms, c.position_seq, c.index) limit ${COUNT_LIMIT}) x) o
           ) as unpublished,
           (select count(*)::int from (select from webhook_events_set_aside
                                        limit ${COUNT_LIMIT}) s) as quarantined`;
  return rows[0] ?? { pending: 0, dead: 0, unpublished: 0, quarantined: 0 };
}
