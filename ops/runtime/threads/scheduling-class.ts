// Puts the calling thread into the scheduling class SCHED_IDLE of Linux: it runs only while a core has nothing else to do,
// and leaves the core at once when another thread of its process or session wakes up. (The lowest nice value still takes 1.5 %
// of a core from each busy thread, and its turns.) A thread cannot leave the class again without privileges.
//
// Node has no such call, so that `chrt` of util-linux does it, once per thread.
import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { readlinkSync } from 'node:fs';

const DEADLINE_MS = 5_000;

/** undefined: done. Otherwise the reason why not; the thread keeps its class. */
export function enterIdleClass(): string | undefined {
  try {
    const threadId = basename(readlinkSync('/proc/thread-self'));
    execFileSync('chrt', ['--idle', '--pid', '0', threadId], {
      stdio: 'pipe',
      timeout: DEADLINE_MS,
    });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
