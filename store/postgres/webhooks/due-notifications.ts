// Deliveries that a statement has made due at once (test events, replays) are told to the webhooks processes, which
// enqueue them. What is not heard is found by the reconciler within a second or two.
import type { Postgres } from '../client.js';
import { subscribeNotifications } from '../notifications.js';

const CHANNEL = 'kasir_due';

/** To be selected for each row of them; heard when the statement has committed. */
export const notifyDue = (sql: Postgres) =>
  sql`pg_notify(${CHANNEL}::text, endpoint_id || ' ' || id)`;

/** Answers what ends it. */
export function subscribeDue(
  url: string,
  onDue: (deliveries: readonly { id: string; endpointId: string }[]) => void,
): () => Promise<void> {
  let heard: { id: string; endpointId: string }[] = [];
  return subscribeNotifications(url, CHANNEL, (payload) => {
    const [endpointId, id] = payload.split(' ');
    if (endpointId === undefined || id === undefined) return;
    heard.push({ id, endpointId });
    if (heard.length > 1) return;
    // What comes in the same turn of the event loop goes together.
    setImmediate(() => {
      onDue(heard);
      heard = [];
    });
  });
}
