// Sends a test event to one endpoint: a delivery like any other, but for its bytes, which stand in its own row.
// It is due at once, and the webhooks processes are told.
import type { TestEvent } from '#actors/core/webhooks/envelope.js';
import type { Postgres } from '../client.js';
import type { EndpointKey } from './endpoint-columns.js';
import { notifyDue } from './due-notifications.js';

export interface SentTestEvent {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
}

/** `inactive`: nothing is sent to an endpoint that is switched off. The filter of types does not matter. */
export async function sendTestEvent(
  sql: Postgres,
  { id: endpointId, merchantId }: EndpointKey,
  { eventId, paymentId, version, type, body }: TestEvent,
): Promise<SentTestEvent | 'missing' | 'inactive'> {
  const rows = await sql<{ id: string | null }[]>`
    with endpoint as (
      select id, active from webhook_endpoints
       where id = ${endpointId} and merchant_id = ${merchantId} and deleted_at is null),
    made as (
      insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, version, type, body)
      select 'del_' || left(encode(sha256(convert_to(${eventId} || ' ' || id, 'UTF8')), 'hex'), 32),
             ${eventId}, id, ${paymentId}, ${version}::integer, ${type}, ${body}
        from endpoint where active
      returning id, endpoint_id),
    told as materialized (select id, ${notifyDue(sql)} from made)
    select told.id from endpoint left join told on true`;
  const [row] = rows;
  if (row === undefined) return 'missing';
  return row.id === null ? 'inactive' : { id: row.id, endpointId, eventId };
}
