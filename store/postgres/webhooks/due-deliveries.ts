// Due deliveries: loaded for the workers, listed for the reconciler, counted for the metrics, and announced. A statement
// that makes deliveries due at once (test events, replays) notifies the webhooks processes, which enqueue them; the
// reconciler finds missed ones within two seconds.
import type { Postgres } from '../client.js';
import { joinValues } from '../join-column.js';
import { subscribeNotifications } from '../notifications.js';

export interface DueDelivery {
  id: string;
  eventId: string;
  endpointId: string;
  /** All attempts so far. */
  attempts: number;
  /** Failures since the schedule started; a replay restarts it. */
  step: number;
  /** Negative: overdue. */
  dueInMs: number;
  /** Age of the event. */
  ageMs: number;
  /** The envelope's bytes as they were stored. */
  body: string;
  /** The trace context of the event (event-traces.ts); absent: traces are off, or the event is not traced. */
  traceparent?: string | undefined;
}

/**
 * Loads pending deliveries; other ids are left out. No condition names the state of a delivery before its row is found by
 * its key: Postgres believes that the index of pending deliveries is nearly empty, and read all of it for each delivery
 * (12,000 that waited took 61 s of CPU).
 */
export async function loadDeliveries(
  sql: Postgres,
  ids: readonly string[],
): Promise<Map<string, DueDelivery>> {
  const rows = await sql<DueDelivery[]>`
    select d.id, d.event_id as "eventId", d.endpoint_id as "endpointId", d.attempts, d.step,
           coalesce(d.body, e.envelope) as body,
           (extract(epoch from d.next_attempt_at - now()) * 1000)::float8 as "dueInMs",
           (extract(epoch from now() - coalesce(e.at, d.created_at)) * 1000)::float8 as "ageMs"
      from unnest(split(${joinValues(ids)})) as named (id)
     cross join lateral (select * from webhook_deliveries where id = named.id offset 0) d
      left join lateral (
        select envelope, at from payment_events
         where payment_id = d.payment_id and version = d.version and envelope is not null offset 0) e on true
     where d.status = 'pending' and (d.body is not null or e.envelope is not null)`;
  return new Map(rows.map((row) => [row.id, row]));
}

/** A place in the order of due times. */
export interface DuePlace {
  /** `next_attempt_at` in full precision. */
  readonly at: string;
  readonly id: string;
}

/** Before all deliveries. */
export const FIRST_PLACE: DuePlace = { at: '-infinity', id: '' };

export interface OverdueDelivery extends DuePlace {
  readonly endpointId: string;
}

export interface OverdueRange {
  readonly after: DuePlace;
  /** Since when they are due at most; null: any time. */
  readonly withinMs: number | null;
}

/** A page of overdue deliveries, oldest first. */
export async function findOverdue(
  sql: Postgres,
  { after, withinMs }: OverdueRange,
  limit: number,
): Promise<OverdueDelivery[]> {
  return sql<OverdueDelivery[]>`
    select id, endpoint_id as "endpointId", next_attempt_at::text as at
      from webhook_deliveries
     where status = 'pending' and next_attempt_at > '-infinity' and next_attempt_at <= now()
       and (next_attempt_at, id) > (greatest(${after.at}::text::timestamptz,
                                         now() - ${withinMs}::integer * interval '1 ms'), ${after.id})
     order by next_attempt_at, id limit ${limit}`;
}

/**
 * As `findOverdue`, for one endpoint. It has no condition on the due time alone, so that the planner cannot read the
 * deliveries of all endpoints in `webhook_deliveries_due`.
 */
export async function findOverdueOf(
  sql: Postgres,
  endpointId: string,
  after: DuePlace,
  limit: number,
): Promise<OverdueDelivery[]> {
  return sql<OverdueDelivery[]>`
    select id, endpoint_id as "endpointId", next_attempt_at::text as at
      from webhook_deliveries
     where status = 'pending' and (endpoint_id, next_attempt_at) <= (${endpointId}, now())
       and (endpoint_id, next_attempt_at, id) > (${endpointId}, ${after.at}::text::timestamptz, ${after.id})
     order by endpoint_id, next_attempt_at, id limit ${limit}`;
}

export interface Backlog {
  pending: number;
  dead: number;
  /** Events that are not fanned out yet. */
  unpublished: number;
  /** Events whose envelope cannot be read. */
  quarantined: number;
  /** Active endpoints at which every attempt has failed for an hour. */
  failingEndpoints: number;
}

const COUNT_LIMIT = 10_000;

/** Counts for the metrics. Each count stops at a limit, so that it stays cheap. */
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
                                        limit ${COUNT_LIMIT}) s) as quarantined,
           (select count(*)::int
              from webhook_endpoint_failures f join webhook_endpoints w on w.id = f.endpoint_id
             where f.flagged_at is not null and w.active) as "failingEndpoints"`;
  return rows[0] ?? { pending: 0, dead: 0, unpublished: 0, quarantined: 0, failingEndpoints: 0 };
}

const CHANNEL = 'kasir_due';

/** Select it for each of these rows; Postgres notifies when the statement has committed. */
export const notifyDue = (sql: Postgres) =>
  sql`pg_notify(${CHANNEL}::text, endpoint_id || ' ' || id)`;

/** Returns the function that unsubscribes. */
export function subscribeDue(
  url: string,
  onDue: (deliveries: readonly { id: string; endpointId: string }[]) => void,
): () => Promise<void> {
  let pending: { id: string; endpointId: string }[] = [];
  return subscribeNotifications(url, CHANNEL, (payload) => {
    const [endpointId, id] = payload.split(' ');
    if (endpointId === undefined || id === undefined) return;
    pending.push({ id, endpointId });
    if (pending.length > 1) return;
    // Notifications of one event-loop turn are passed on together.
    setImmediate(() => {
      onDue(pending);
      pending = [];
    });
  });
}
