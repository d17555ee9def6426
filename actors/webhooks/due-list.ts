// Moves deliveries whose time has come to the ready streams. It sleeps until the next one that it knows of,
// and never long, since other processes add to the same list.
import type { Log } from '#ops/runtime/log.js';
import type { Moved } from '#store/redis/webhooks/due-list.js';
import { Outage, sleep } from '#ops/runtime/retry-loop.js';

const POLL_MS = 100;
const MIN_SLEEP_MS = 1;

export interface DueListParts {
  stopping: AbortSignal;
  /** Moves what is due and answers when the next one is. */
  move: (nowMs: number) => Promise<Moved>;
  /** A lane that was due has more in its list. */
  onParked: (endpointId: string) => void;
  log: Log;
}

/** Resolves when the process stops. */
export async function runDueList(parts: DueListParts): Promise<void> {
  const { stopping, move, onParked, log } = parts;
  const outage = new Outage(log, 'moving due deliveries');
  while (!stopping.aborted) {
    const moved = await outage.persist(stopping, () => move(Date.now()));
    if (moved === undefined) return;
    for (const endpointId of moved.parkedOf) onParked(endpointId);
    const sleepMs = moved.nextAtMs === null ? POLL_MS : moved.nextAtMs - Date.now();
    await sleep(Math.max(MIN_SLEEP_MS, Math.min(POLL_MS, sleepMs)));
  }
}
