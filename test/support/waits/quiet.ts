import { waitUntil } from '#ops/dev/launch/wait-until.js';

const POLLS = 8;

/**
 * Waits until `read` has returned the same number in several polls, one after the other. Between two polls this process
 * handles all that has reached it, so a number that it counts itself no longer grows from what was sent before.
 */
export function waitUntilQuiet(what: string, read: () => number): Promise<unknown> {
  let former = Number.NaN;
  let same = 0;
  return waitUntil(what, () => {
    const now = read();
    same = now === former ? same + 1 : 0;
    former = now;
    return same >= POLLS;
  });
}
