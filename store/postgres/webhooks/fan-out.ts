// The fan-out: one statement moves the cursors over new events and inserts their deliveries, so both happen or neither
// does. The row locks on the cursors are the compare-and-set: a cursor that another process is moving is skipped, and a
// moved cursor is read in its new state. The events are read as of the start of the statement; that may show fewer
// events, never others, because the events of a partition become visible in their order. A cursor without new events is
// not locked, since a lock is a write: a process without work would write to the log once a second.
import { STAR_TYPES } from '#actors/core/schemas/event.js';
import type { Postgres } from '../client.js';
import { joinValues } from '../join-column.js';

/** Events of one partition in one statement. */
const EVENTS_PER_PARTITION = 256;

export interface NewDelivery {
  id: string;
  endpointId: string;
}

export interface FannedOut {
  /** Events that the cursors passed; 0: no event is left, or another process is moving the cursors. */
  events: number;
  deliveries: NewDelivery[];
  /** Events whose envelope cannot be read: `<payment> <version>`. */
  quarantined: string[];
}

/**
 * Fans out events after the cursors of some partitions, or of all. An endpoint receives events since its creation, with
 * a minute of tolerance for clocks that differ. Delivery ids are derived from event and endpoint, so a repeated insert creates no second delivery.
 * An event whose envelope cannot be read is quarantined, and the cursor passes it.
 */
export async function fanOut(sql: Postgres, partitions?: readonly number[]): Promise<FannedOut> {
  const rows = await sql<FanOutRow[]>`
    with cursors as materialized (
      select c.* from webhook_cursors c cross join lateral (
          select from payment_events e
           where e.partition = c.partition and e.envelope is not null
             and (e.position_ms, e.position_seq, e.index) > (c.position_ms, c.position_seq, c.index)
           order by e.position_ms, e.position_seq, e.index limit 1) first
       ${partitions === undefined ? sql`` : sql`where c.partition = any(split(${joinValues(partitions)})::smallint[])`}
         for update of c skip locked),
    batch as materialized (
      select e.*, r.event_id, r.name
        from cursors c cross join lateral (
          select e.partition, e.position_ms, e.position_seq, e.index, e.payment_id, e.version, e.at,
                 e.merchant_id, e.environment, e.envelope
            from payment_events e
           where e.partition = c.partition and e.envelope is not null
             and (e.position_ms, e.position_seq, e.index) > (c.position_ms, c.position_seq, c.index)
           order by e.position_ms, e.position_seq, e.index
           limit ${EVENTS_PER_PARTITION}) e cross join lateral read_envelope(e.envelope) r),
    moved as (
      update webhook_cursors w
         set position_ms = b.position_ms, position_seq = b.position_seq, index = b.index
        from (select distinct on (partition) partition, position_ms, position_seq, index from batch
               order by partition, position_ms desc, position_seq desc, index desc) b
       where w.partition = b.partition),
    quarantined as (
      insert into webhook_events_set_aside (payment_id, version)
      select payment_id, version from batch where event_id is null
      on conflict do nothing
      returning payment_id || ' ' || version as event),
    made as (
      ${insertDeliveries(sql)}
      returning id, endpoint_id)
    select made.id, made.endpoint_id as "endpointId", counted.events, counted.quarantined
      from (select count(*)::int as events,
                   (select string_agg(event, ',') from quarantined) as quarantined from batch) counted
      left join made on true`;
  return buildFannedOut(rows);
}

/**
 * For the CTE `batch`: events with the id and name that their envelopes have. `offset 0` keeps the look-up by merchant: a plan
 * made for few endpoints reads the endpoints of all merchants for each batch.
 */
const insertDeliveries = (sql: Postgres) => sql`
  insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, version, type)
  select 'del_' || left(encode(sha256(convert_to(b.event_id || ' ' || w.id, 'UTF8')), 'hex'), 32),
         b.event_id, w.id, b.payment_id, b.version, b.name
    from batch b
   cross join lateral (
     select * from webhook_endpoints
      where merchant_id = b.merchant_id and environment = b.environment offset 0) w
   where b.event_id is not null and w.active
     and (b.name = any(w.events)
          or '*' = any(w.events) and b.name = any(${[...STAR_TYPES]}::text[]))
     and w.created_at <= b.at + interval '1 minute'
  on conflict do nothing`;

interface FanOutRow {
  readonly id: string | null;
  readonly endpointId: string;
  readonly events: number;
  readonly quarantined: string | null;
}

function buildFannedOut(rows: readonly FanOutRow[]): FannedOut {
  const deliveries = rows.flatMap(({ id, endpointId }) =>
    id === null ? [] : [{ id, endpointId }],
  );
  const [{ events, quarantined } = { events: 0, quarantined: null }] = rows;
  return { events, deliveries, quarantined: quarantined?.split(',') ?? [] };
}

/** Fans out quarantined events whose envelope was repaired. */
export async function resumeQuarantined(sql: Postgres, limit: number): Promise<FannedOut> {
  const rows = await sql<FanOutRow[]>`
    with batch as materialized (
      select e.payment_id, e.version, e.at, e.merchant_id, e.environment, r.event_id, r.name
        from webhook_events_set_aside s
       cross join lateral (
         select * from payment_events
          where payment_id = s.payment_id and version = s.version and envelope is not null offset 0) e
       cross join lateral read_envelope(e.envelope) r
       where r.event_id is not null limit ${limit}),
    resumed as (
      delete from webhook_events_set_aside s using batch b
       where s.payment_id = b.payment_id and s.version = b.version),
    made as (
      ${insertDeliveries(sql)}
      returning id, endpoint_id)
    select made.id, made.endpoint_id as "endpointId", counted.events, null as quarantined
      from (select count(*)::int as events from batch) counted left join made on true`;
  return buildFannedOut(rows);
}
