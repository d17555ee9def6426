// What a loop does while a store is away: it says so once, waits a moment, and goes on by itself. The log
// gets a line when an outage begins, one every 10 s while it lasts, and one when it ends.
import type { Log } from './log.js';

const RETRY_MS = 200;
const REPEAT_MS = 10_000;

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

export class RetryLoop {
  readonly #log: Log;
  readonly #what: string;
  #beganMs: number | null = null;
  #toldMs = 0;

  /** `what`: the part that cannot work, for the log. */
  constructor(log: Log, what: string) {
    this.#log = log;
    this.#what = what;
  }

  /** Notes a failure and waits. */
  async waitAfter(error: unknown): Promise<void> {
    const nowMs = performance.now();
    this.#beganMs ??= nowMs;
    if (this.#toldMs === 0 || nowMs - this.#toldMs >= REPEAT_MS) {
      this.#toldMs = nowMs;
      this.#log.warn({ err: error, part: this.#what }, 'cannot work at the moment');
    }
    await sleep(RETRY_MS);
  }

  /** Notes that it works. */
  noteSuccess(): void {
    if (this.#beganMs === null) return;
    const lastedMs = Math.round(performance.now() - this.#beganMs);
    this.#log.info({ part: this.#what, lastedMs }, 'works again');
    this.#beganMs = null;
    this.#toldMs = 0;
  }

  /** Does `work` until it succeeds; undefined when the process stops before. */
  async retry<Value>(
    stopping: AbortSignal,
    work: () => Promise<Value>,
  ): Promise<Value | undefined> {
    while (!stopping.aborted) {
      try {
        const value = await work();
        this.noteSuccess();
        return value;
      } catch (error) {
        await this.waitAfter(error);
      }
    }
    return undefined;
  }
}
