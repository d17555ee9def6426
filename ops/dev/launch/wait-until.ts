// Waiting for a condition with a deadline: what set-up and tests do instead of sleeping.
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 25;

/**
 * Asks `check` until it answers a truthy value, and answers that; a throw counts as "not yet".
 * @throws Error naming `what` (and the last fault) after `deadlineMs`
 */
export async function waitUntil<T>(
  what: string,
  deadlineMs: number,
  check: () => Promise<T> | T,
): Promise<NonNullable<T>> {
  const end = performance.now() + deadlineMs;
  let fault: unknown = null;
  for (;;) {
    try {
      const value = await check();
      if (value !== null && value !== undefined && value !== false) return value;
    } catch (error) {
      fault = error;
    }
    if (performance.now() > end) break;
    await sleep(POLL_MS);
  }
  const cause = fault instanceof Error ? `: ${fault.message}` : '';
  throw new Error(`${what}: not within ${deadlineMs} ms${cause}`);
}
