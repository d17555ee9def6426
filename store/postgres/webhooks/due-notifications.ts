// Notifications of deliveries that a statement made due at once (test events, replays). The webhooks processes enqueue
// them; the reconciler finds missed ones within two seconds.
import type { Postgres } from '../client.js';
import { subscribeNotifications } from '../notifications.js';

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
