// The trace contexts of the events that deliveries carry. Events have them while traces are on.
import { readTraceContext, TRACE_CONTEXT_TAIL } from '#actors/core/trace-context.js';
import type { Postgres } from '../client.js';
import { joinValues } from '../join-column.js';

/** By delivery; deliveries whose event has no trace context are left out. Rows are found by their keys alone (due-deliveries.ts). */
export async function loadEventTraces(
  sql: Postgres,
  deliveryIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; tail: string }[]>`
    select d.id, e.tail
      from unnest(split(${joinValues(deliveryIds)})) as named (id)
     cross join lateral (
       select id, payment_id, version from webhook_deliveries where id = named.id offset 0) d
     cross join lateral (
       select right(event, ${TRACE_CONTEXT_TAIL}::integer) as tail from payment_events
        where payment_id = d.payment_id and version = d.version and envelope is not null offset 0) e`;
  const traces = new Map<string, string>();
  for (const { id, tail } of rows) {
    const traceparent = readTraceContext(tail);
    if (traceparent !== undefined) traces.set(id, traceparent);
  }
  return traces;
}
