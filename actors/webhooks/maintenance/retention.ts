// Forgets what is older than its 30 days, a bounded piece at a time; at any time by any process.
import type { Log } from '#ops/runtime/log.js';
import { Outage, sleep } from '#ops/runtime/retry-loop.js';

const EVERY_MS = 600_000;
const REST_MS = 1_000;
const PIECE = 1_000;

export interface RetentionParts {
  stopping: AbortSignal;
  /** Answers how many it removed. */
  forgetDeliveries: (most: number) => Promise<number>;
  forgetRemains: () => Promise<void>;
  log: Log;
}

/** Resolves when the process stops. */
export async function runRetention(parts: RetentionParts): Promise<void> {
  const { stopping, forgetDeliveries, forgetRemains, log } = parts;
  const outage = new Outage(log, 'forgetting old deliveries');
  let nextMs = 0;
  while (!stopping.aborted) {
    if (performance.now() >= nextMs) {
      const removed = await outage.persist(stopping, () => forgetDeliveries(PIECE));
      if (removed !== PIECE) {
        await outage.persist(stopping, forgetRemains);
        nextMs = performance.now() + EVERY_MS;
      }
    }
    await sleep(REST_MS);
  }
}
