// Subscribes to pg_notify on a connection of its own, which reconnects by itself. A notification only speeds up work
// that is also found without it: notifications during a lost connection are lost.
import postgres from 'postgres';
import { startDeadline } from '#ops/runtime/deadline.js';
import { listPostgresAddresses } from '#ops/runtime/addresses/postgres-address.js';
import { buildConnectionSettings } from './client.js';

const RECONNECT_MS = 1_000;
/**
 * Nothing else is sent on the connection, so that only a ping shows that the network has swallowed it, or that its server may
 * not write any more: a former primary that was fenced keeps its sessions, and nobody notifies there.
 */
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
  const hosts = listPostgresAddresses(url);
  let turn = 0;
  // An internal option of postgres.js. Its public `listen` reconnects with parts of the lost connection.
  const onnotify = (notified: string, payload: string): void => {
    if (notified === channel) onNotice(payload);
  };
  const open = (): postgres.Sql => {
    const address = hosts[turn % hosts.length] ?? hosts[0];
    turn += 1;
    const opened = postgres(address.url, {
      ...{ ...buildConnectionSettings('notices', 1, address), onnotify },
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
    canWrite(pinged).then((can) => {
      stop();
      if (!can) reopen(pinged);
    }, stop);
  }, PING_EVERY_MS);
  return async () => {
    hasEnded = true;
    clearInterval(pings);
    clearTimeout(timer);
    await current.end({ timeout: 0 });
  };
}

async function canWrite(sql: postgres.Sql): Promise<boolean> {
  const rows = await sql<{ setting: string }[]>`
    select current_setting('transaction_read_only') as setting`;
  return rows[0]?.setting === 'off';
}
