// Moves deliveries whose time has come to the ready streams. It sleeps until the next one that it knows of,
// and never long, since other processes add to the same list.
import type { Log } from '../../ops/runtime/log.js';
import { Outage } from './outage.js';

const POLL_MS = 100;
const MIN_SLEEP_MS = 1;

export interface DueListParts {
  stopping: AbortSignal;
  /** Moves what is due and answers when the next one is. */
  move: (nowMs: number) => Promise<number | null>;
  log: Log;
}

/** Resolves when the process stops. */
export async function runDueList({ stopping, move, log }: DueListParts): Promise<void> {
  const outage = new Outage(log, 'moving due deliveries');
  while (!stopping.aborted) {
    const next = await outage.persist(stopping, () => move(Date.now()));
    const sleepMs = next === null || next === undefined ? POLL_MS : next - Date.now();
    await new Promise((resolve) =>
      setTimeout(resolve, Math.max(MIN_SLEEP_MS, Math.min(POLL_MS, sleepMs))),
    );
  }
}
