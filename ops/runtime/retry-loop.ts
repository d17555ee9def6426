// Repeats work that fails because a dependency is unavailable. The log gets one line when the outage begins, one every
// 10 s while it lasts, and one when it is over.
import { type Clock, SYSTEM_CLOCK } from './clock.js';
import type { Log } from './log.js';

const RETRY_MS = 200;
const REPEAT_MS = 10_000;

export const { sleep } = SYSTEM_CLOCK;

export class RetryLoop {
  readonly #log: Log;
  readonly #what: string;
  readonly #clock: Clock;
  #beganMs: number | null = null;
  #loggedMs = 0;

  /** `what` names the work in the log. */
  constructor(log: Log, what: string, clock: Clock = SYSTEM_CLOCK) {
    this.#log = log;
    this.#what = what;
    this.#clock = clock;
  }

  /** Records a failure and waits 200 ms. */
  async waitAfter(error: unknown): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    this.#beganMs ??= nowMs;
    if (this.#loggedMs === 0 || nowMs - this.#loggedMs >= REPEAT_MS) {
      this.#loggedMs = nowMs;
      this.#log.warn({ err: error, part: this.#what }, 'failed; retrying every 200 ms');
    }
    await this.#clock.sleep(RETRY_MS);
  }

  /** Records a success. */
  noteSuccess(): void {
    if (this.#beganMs === null) return;
    const lastedMs = Math.round(this.#clock.monotonicMs() - this.#beganMs);
    this.#log.info({ part: this.#what, lastedMs }, 'recovered');
    this.#beganMs = null;
    this.#loggedMs = 0;
  }

  /** Repeats `work` until it succeeds; undefined: the process stopped first. */
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
