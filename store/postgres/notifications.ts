// Hears what statements say with pg_notify, on a connection of its own that comes back by itself. A notice only
// tells sooner what is found without it: what is said while the connection is away is lost.
import postgres from 'postgres';
import { buildConnectionSettings } from './client.js';

const AGAIN_MS = 1_000;

/** Calls `onNotice` with the payload of each; answers what ends it. */
export function subscribeNotifications(
  url: string,
  channel: string,
  onNotice: (payload: string) => void,
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  // What its own `listen` uses, which makes connections again by itself.
  const hears = {
    onnotify: (heard: string, payload: string): void => {
      if (heard === channel) onNotice(payload);
    },
  };
  const open = (): postgres.Sql => {
    const opened = postgres(url, {
      ...{ ...buildConnectionSettings('notices', 1), ...hears },
      onclose: () => {
        lose(opened);
      },
    });
    opened`listen ${opened(channel)}`.catch(() => {
      lose(opened);
    });
    return opened;
  };
  // A connection that postgres.js makes again is not trusted, see openPostgres.
  const lose = (lost: postgres.Sql): void => {
    if (lost !== current || hasEnded || timer !== undefined) return;
    void lost.end({ timeout: 0 }).catch(() => {});
    timer = setTimeout(() => {
      timer = undefined;
      current = open();
    }, AGAIN_MS);
  };
  let current = open();
  return async () => {
    hasEnded = true;
    clearTimeout(timer);
    await current.end({ timeout: 0 });
  };
}
