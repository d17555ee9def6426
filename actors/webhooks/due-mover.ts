// Moves deliveries whose time has come to the ready streams. It sleeps until the next one that it knows of,
// and never long, since other processes add to the same list.
import type { Log } from '#ops/runtime/log.js';
import type { MovedDeliveries } from '#store/redis/webhooks/due-list.js';
import { RetryLoop, sleep } from '#ops/runtime/retry-loop.js';

const POLL_MS = 100;
const MIN_SLEEP_MS = 1;

export interface DueMoverDeps {
  stopping: AbortSignal;
  /** Moves what is due and answers when the next one is. */
  move: (nowMs: number) => Promise<MovedDeliveries>;
  /** A lane that was due has more in its list. */
  onDeferred: (endpointId: string) => void;
  log: Log;
}

/** Resolves when the process stops. */
export async function runDueMover(parts: DueMoverDeps): Promise<void> {
  const { stopping, move, onDeferred, log } = parts;
  const outage = new RetryLoop(log, 'moving due deliveries');
  while (!stopping.aborted) {
    const moved = await outage.retry(stopping, () => move(Date.now()));
    if (moved === undefined) return;
    for (const endpointId of moved.deferredOf) onDeferred(endpointId);
    const sleepMs = moved.nextAtMs === null ? POLL_MS : moved.nextAtMs - Date.now();
    await sleep(Math.max(MIN_SLEEP_MS, Math.min(POLL_MS, sleepMs)));
  }
}
