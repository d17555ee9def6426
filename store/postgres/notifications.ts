// Subscribes to pg_notify on a connection of its own, which reconnects by itself. A notification only speeds up work
// that is also found without it: notifications during a lost connection are lost.
import postgres from 'postgres';
import { startDeadline } from '#ops/runtime/deadline.js';
import { parsePostgresAddress } from '#ops/runtime/addresses/postgres-address.js';
import { buildConnectionSettings } from './client.js';

const RECONNECT_MS = 1_000;
/** Nothing else is sent on the connection, so that only a ping shows that the network has swallowed it. */
const PING_EVERY_MS = 2_000;
const SILENT_MS = 4_500;

/** A thing that the owner keeps on the connection, beside the subscription. */
export interface HeldOnConnection {
  /** Called with each new connection. A rejection closes it. */
  readonly take: (connection: postgres.Sql) => Promise<void>;
  /** Called when the connection is lost. */
  readonly lose: () => void;
}

/** Calls `onNotice` with the payload of each notification. Returns the function that ends the subscription. */
export function subscribeNotifications(
  url: string,
  channel: string,
  onNotice: (payload: string) => void,
  held?: HeldOnConnection,
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  const address = parsePostgresAddress(url);
  // An internal option of postgres.js. Its public `listen` reconnects with parts of the lost connection.
  const options = {
    ...buildConnectionSettings('notices', 1, address),
    onnotify: (notified: string, payload: string): void => {
      if (notified === channel) onNotice(payload);
    },
  };
  const open = (): postgres.Sql => {
    const opened = postgres(address.url, {
      ...options,
      onclose: () => {
        reopen(opened);
      },
    });
    opened`listen ${opened(channel)}`
      .then(() => held?.take(opened))
      .catch(() => {
        reopen(opened);
      });
    return opened;
  };
  // A new pool, for the reason that openPostgres gives.
  const reopen = (lost: postgres.Sql): void => {
    if (lost !== current || hasEnded || timer !== undefined) return;
    held?.lose();
    void lost.end({ timeout: 0 }).catch(() => {});
    timer = setTimeout(() => {
      timer = undefined;
      current = open();
    }, RECONNECT_MS);
  };
  let current = open();
  const pings = setInterval(() => {
    const pinged = current;
    const stop = startDeadline(SILENT_MS, () => {
      reopen(pinged);
    });
    pinged`select 1`.then(stop, stop);
  }, PING_EVERY_MS);
  return async () => {
    hasEnded = true;
    clearInterval(pings);
    clearTimeout(timer);
    await current.end({ timeout: 0 });
  };
}
