// Reads payments by id. The reads of one event-loop turn are one query, on the primary, so that each client reads its own
// writes. A turn's query does not wait for the query of the turn before.
import { createBatcher } from '#ops/runtime/batcher.js';
import type { Postgres } from '#store/postgres/client.js';
import { loadSnapshots } from '#store/postgres/payments/load-snapshots.js';

const MAX_IDS_A_QUERY = 512;

/** Returns undefined for an unknown id; rejects when the store cannot be queried. */
export type SnapshotReader = (id: string) => Promise<string | undefined>;

export function createSnapshotReader(sql: Postgres): SnapshotReader {
  return createBatcher({
    maxItems: MAX_IDS_A_QUERY,
    isSerial: false,
    run: async (ids: readonly string[]) => {
      const snapshots = await loadSnapshots(sql, ids);
      return ids.map((id) => snapshots.get(id));
    },
  });
}
