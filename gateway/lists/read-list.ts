// Reads a page of a list on the pool for lists, as many at a time as it has connections. Merchants take turns, so that one
// that reads many pages delays another by one page only, and no list delays a get, a login or a file.
import type { Postgres } from '#store/postgres/client.js';
import { FairQueue } from '../limits/fair-queue.js';

/** The connections of the pool. */
export const LIST_READS_AT_ONCE = 3;
const MAX_WAITING = 256;
const MAX_WAITING_PER_MERCHANT = 32;

/** `key`: the merchant, or `all` for lists of administrators. */
export type ReadList = <Rows>(
  key: string,
  read: (lists: Postgres) => Promise<Rows>,
) => Promise<Rows>;

export function createListReader(lists: Postgres): ReadList {
  const queue = new FairQueue({
    atOnce: LIST_READS_AT_ONCE,
    waiting: MAX_WAITING,
    waitingPerClient: MAX_WAITING_PER_MERCHANT,
  });
  return (key, read) => queue.run([key], () => read(lists));
}
