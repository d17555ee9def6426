// Waits for a condition with a deadline. Set-up and tests use it instead of sleeping.
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 25;
/** It only says "never": a machine under load takes many times as long as an idle one. */
export const WAIT_MS = 60_000;

/**
 * Calls `check` until it returns a truthy value, and returns that value. A thrown error counts as "not yet".
 * @throws Error after `deadlineMs`; it names `what` and the last error
 */
export async function waitUntil<T>(
  what: string,
  check: () => Promise<T> | T,
  deadlineMs = WAIT_MS,
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
