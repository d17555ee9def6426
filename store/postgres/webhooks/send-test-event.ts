// Sends a test event to one endpoint: an ordinary delivery that is due at once, except that its row holds the bytes.
import type { TestEvent } from '#actors/core/webhooks/envelope.js';
import type { Postgres } from '../client.js';
import type { EndpointKey } from './list-endpoints.js';
import { notifyDue } from './due-deliveries.js';

/** Other ids are digests, of which one in 2^48 begins so. The queues in Redis know test events by it (enqueue.lua). */
const TEST_PREFIX = 'del_000000000000';

/** A person waits for it, so that it passes the pause of its endpoint and the deliveries that wait. */
export const isTestDelivery = (id: string): boolean => id.startsWith(TEST_PREFIX);

export interface SentTestEvent {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
}

/** `inactive`: an inactive endpoint receives nothing. The endpoint's event filter is ignored. */
export async function sendTestEvent(
  sql: Postgres,
  { id: endpointId, merchantId }: EndpointKey,
  { eventId, paymentId, payoutId, version, type, body }: TestEvent,
): Promise<SentTestEvent | 'missing' | 'inactive'> {
  const rows = await sql<{ id: string | null }[]>`
    with endpoint as (
      select id, active from webhook_endpoints
       where id = ${endpointId} and merchant_id = ${merchantId} and deleted_at is null),
    created as (
      insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, payout_id, version, type, body)
      select ${TEST_PREFIX} || left(encode(sha256(convert_to(${eventId} || ' ' || id, 'UTF8')), 'hex'), 20),
             ${eventId}, id, ${paymentId}, ${payoutId}, ${version}::integer, ${type}, ${body}
        from endpoint where active
      returning id, endpoint_id),
    notified as materialized (select id, ${notifyDue(sql)} from created)
    select notified.id from endpoint left join notified on true`;
  const [row] = rows;
  if (row === undefined) return 'missing';
  return row.id === null ? 'inactive' : { id: row.id, endpointId, eventId };
}
