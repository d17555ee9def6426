// The fan-out: one statement moves the cursors over what was committed since and inserts the deliveries
// of it, so that either both happen or none. The row locks on the cursors are the compare-and-set: a
// cursor that another process is moving is skipped, and one that it has moved is read as it is now. (The
// events are read as of the start of the statement: that may show fewer of them, never others, since
// those of a partition become visible in their order.)
import type { Postgres } from '../client.js';

/** Events of one partition and statement. */
const EVENTS_PER_PARTITION = 256;

export interface NewDelivery {
  id: string;
  endpointId: string;
}

export interface FannedOut {
  /** How many events the cursors passed; 0: nothing is left (or another process is at it). */
  events: number;
  deliveries: NewDelivery[];
}

/** Makes sure that each partition has its cursor. */
export async function ensureCursors(sql: Postgres): Promise<void> {
  await sql`
    insert into webhook_cursors (partition) select id from partitions on conflict do nothing`;
}

/**
 * Fans out what stands behind the cursors. An endpoint gets the events since it was made (a minute is
 * left for clocks that differ). Ids of deliveries are derived, so that nothing can make two of one.
 */
export async function fanOut(sql: Postgres): Promise<FannedOut> {
  const rows = await sql<{ id: string | null; endpointId: string; events: number }[]>`
    with cursors as materialized (
      select partition, position_ms, position_seq, index from webhook_cursors
         for update skip locked),
    batch as materialized (
      select e.*, e.envelope::json ->> 'id' as event_id, e.envelope::json ->> 'type' as name
        from cursors c cross join lateral (
          select e.partition, e.position_ms, e.position_seq, e.index, e.payment_id, e.version, e.at,
                 e.merchant_id, e.environment, e.envelope
            from payment_events e
           where e.partition = c.partition and e.envelope is not null
             and (e.position_ms, e.position_seq, e.index) > (c.position_ms, c.position_seq, c.index)
           order by e.position_ms, e.position_seq, e.index
           limit ${EVENTS_PER_PARTITION}) e),
    moved as (
      update webhook_cursors w
         set position_ms = b.position_ms, position_seq = b.position_seq, index = b.index
        from (select distinct on (partition) partition, position_ms, position_seq, index from batch
               order by partition, position_ms desc, position_seq desc, index desc) b
       where w.partition = b.partition),
    made as (
      insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, version, type)
      select 'del_' || left(encode(sha256(convert_to(b.event_id || ' ' || w.id, 'UTF8')), 'hex'), 32),
             b.event_id, w.id, b.payment_id, b.version, b.name
        from batch b
        join webhook_endpoints w on w.merchant_id = b.merchant_id and w.environment = b.environment
       where w.active and ('*' = any(w.events) or b.name = any(w.events))
         and w.created_at <= b.at + interval '1 minute'
      on conflict do nothing
      returning id, endpoint_id)
    select made.id, made.endpoint_id as "endpointId", counted.events
      from (select count(*)::int as events from batch) counted left join made on true`;
  const deliveries = rows.flatMap(({ id, endpointId }) =>
    id === null ? [] : [{ id, endpointId }],
  );
  return { events: rows[0]?.events ?? 0, deliveries };
}
