// Forgets what is older than its 30 days, a bounded piece at a time; at any time by any process.
import type { Log } from '#ops/runtime/log.js';
import { RetryLoop, sleep } from '#ops/runtime/retry-loop.js';

const EVERY_MS = 600_000;
const REST_MS = 1_000;
const PIECE = 1_000;

export interface RetentionDeps {
  stopping: AbortSignal;
  /** Answers how many it removed. */
  deleteOldDeliveries: (most: number) => Promise<number>;
  deleteUnreferenced: () => Promise<void>;
  log: Log;
}

/** Resolves when the process stops. */
export async function runRetention(parts: RetentionDeps): Promise<void> {
  const { stopping, deleteOldDeliveries, deleteUnreferenced, log } = parts;
  const outage = new RetryLoop(log, 'forgetting old deliveries');
  let nextMs = 0;
  while (!stopping.aborted) {
    if (performance.now() >= nextMs) {
      const removed = await outage.retry(stopping, () => deleteOldDeliveries(PIECE));
      if (removed !== PIECE) {
        await outage.retry(stopping, deleteUnreferenced);
        nextMs = performance.now() + EVERY_MS;
      }
    }
    await sleep(REST_MS);
  }
}
