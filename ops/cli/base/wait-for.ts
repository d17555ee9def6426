// Waits for what other processes do.
import { setTimeout } from 'node:timers/promises';

const POLL_MS = 100;

/** Reads again and again, until what it finds is `isDone` or `waitMs` have passed. Returns what it found last. */
export async function waitFor<Found>(
  waitMs: number,
  read: () => Promise<Found>,
  isDone: (found: Found) => boolean,
): Promise<Found> {
  const deadlineMs = performance.now() + waitMs;
  for (;;) {
    const found = await read();
    if (isDone(found) || performance.now() > deadlineMs) return found;
    await setTimeout(POLL_MS);
  }
}
