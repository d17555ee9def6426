// Subscribes to pg_notify on a connection of its own, which reconnects by itself. A notification only speeds up work
// that is also found without it: notifications during a lost connection are lost.
import postgres from 'postgres';
import { buildConnectionSettings } from './client.js';

const RECONNECT_MS = 1_000;

/** Calls `onNotice` with the payload of each notification. Returns the function that ends the subscription. */
export function subscribeNotifications(
  url: string,
  channel: string,
  onNotice: (payload: string) => void,
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  // An internal option of postgres.js. Its public `listen` reconnects with parts of the lost connection.
  const options = {
    ...buildConnectionSettings('notices', 1),
    onnotify: (notified: string, payload: string): void => {
      if (notified === channel) onNotice(payload);
    },
  };
  const open = (): postgres.Sql => {
    const opened = postgres(url, {
      ...options,
      onclose: () => {
        reopen(opened);
      },
    });
    opened`listen ${opened(channel)}`.catch(() => {
      reopen(opened);
    });
    return opened;
  };
  // A new pool, for the reason that openPostgres gives.
  const reopen = (lost: postgres.Sql): void => {
    if (lost !== current || hasEnded || timer !== undefined) return;
    void lost.end({ timeout: 0 }).catch(() => {});
    timer = setTimeout(() => {
      timer = undefined;
      current = open();
    }, RECONNECT_MS);
  };
  let current = open();
  return async () => {
    hasEnded = true;
    clearTimeout(timer);
    await current.end({ timeout: 0 });
  };
}
