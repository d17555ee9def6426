// The circuit breaker of a lane. While it is closed, attempts begin freely. FAILURES in a row open it: no attempt begins
// until a pause is over, then one attempt is allowed as a probe (half-open). A successful probe closes the breaker, a
// failed one opens it again for twice as long.
//
//   closed ──5 failures in a row──▶ open ──pause over──▶ half-open ──success──▶ closed
//                                    ▲                       │
//                                    └──failure, pause × 2───┘

const FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

export class Breaker {
  #failuresInRow = 0;
  #pauseMs = FIRST_PAUSE_MS;
  /** 0: the breaker is closed. */
  #openUntilMs = 0;

  get isClosed(): boolean {
    return this.#openUntilMs === 0;
  }

  /** When the next probe may begin; 0 while the breaker is closed. */
  get openUntilMs(): number {
    return this.#openUntilMs;
  }

  /** The attempts that may be under way at `nowMs`; `limit` while the breaker is closed. */
  limit(limit: number, nowMs: number): number {
    if (this.isClosed) return limit;
    return nowMs >= this.#openUntilMs ? 1 : 0;
  }

  /** Whether deliveries may wait in memory: not while no attempt may begin. */
  canWait(nowMs: number): boolean {
    return this.isClosed || nowMs >= this.#openUntilMs;
  }

  succeed(): void {
    this.#failuresInRow = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#openUntilMs = 0;
  }

  /**
   * Returns whether a pause begins. A failure of an attempt that began before the breaker opened does not lengthen the pause: it
   * was no probe.
   */
  fail(beganMs: number, nowMs: number): boolean {
    this.#failuresInRow += 1;
    const isOpening = this.isClosed && this.#failuresInRow >= FAILURES;
    const isProbe = !this.isClosed && beganMs >= this.#openUntilMs;
    if (isProbe) this.#pauseMs = Math.min(MAX_PAUSE_MS, 2 * this.#pauseMs);
    if (isOpening || isProbe) this.#openUntilMs = nowMs + this.#pauseMs;
    return isOpening || isProbe;
  }

  /** The endpoint is switched off and holds its deliveries: one of them asks again after a while whether it still does. */
  hold(untilMs: number): void {
    this.#openUntilMs = untilMs;
  }
}
