// The trace of a payment, which its calls to rails carry while traces are on.
import { readTraceContext, TRACE_CONTEXT_TAIL } from '#actors/core/trace-context.js';
import type { Postgres } from '../client.js';

/**
 * The trace context of the latest traced call of the payment that a status inquiry is about; undefined: none has one. The ids of
 * the calls of a payment begin with that of the payment, so they are found by their key.
 */
export async function findPaymentTrace(
  sql: Postgres,
  inquiryId: string,
): Promise<string | undefined> {
  const [row] = await sql<{ tail: string }[]>`
    select c.tail
      from (select payment_id from status_inquiries where id = ${inquiryId} offset 0) i
     cross join lateral (
       select right(request, ${TRACE_CONTEXT_TAIL}::integer) as tail, requested_at from rail_calls
        where id between 'call_' || substr(i.payment_id, 5) and 'call_' || substr(i.payment_id, 5) || 'zzzzzz'
       offset 0) c
     where c.tail like '"traceparent":"%'
     order by c.requested_at desc limit 1`;
  return row && readTraceContext(row.tail);
}
