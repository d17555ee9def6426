// The circuit breaker of a lane. Closed: attempts go. After FAILURES in a row it opens: nothing goes, and
// after a pause one attempt is let through as a probe (half-open). A probe that succeeds closes it, one that
// fails opens it again for twice as long.
//
//   closed ──5 failures in a row──▶ open ──pause over──▶ half-open ──success──▶ closed
//                                    ▲                       │
//                                    └──failure, pause × 2───┘

const FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

export class Breaker {
  #failures = 0;
  #pauseMs = FIRST_PAUSE_MS;
  /** 0: closed. */
  #openUntilMs = 0;

  get isClosed(): boolean {
    return this.#openUntilMs === 0;
  }

  /** When the next probe may go; 0 while it is closed. */
  get opensAtMs(): number {
    return this.#openUntilMs;
  }

  /** How many may be under way at `nowMs`, of a lane that would otherwise have `limit`. */
  limit(limit: number, nowMs: number): number {
    if (this.isClosed) return limit;
    return nowMs >= this.#openUntilMs ? 1 : 0;
  }

  /** Whether what waits in memory may go on waiting: not while nothing is let through. */
  mayWait(nowMs: number): boolean {
    return this.isClosed || nowMs >= this.#openUntilMs;
  }

  succeed(): void {
    this.#failures = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#openUntilMs = 0;
  }

  /** Failures of attempts that began before it opened are no probes, and do not lengthen the pause. */
  fail(beganMs: number, nowMs: number): void {
    this.#failures += 1;
    if (this.isClosed) {
      if (this.#failures >= FAILURES) this.#openUntilMs = nowMs + this.#pauseMs;
    } else if (beganMs >= this.#openUntilMs) {
      this.#pauseMs = Math.min(MAX_PAUSE_MS, 2 * this.#pauseMs);
      this.#openUntilMs = nowMs + this.#pauseMs;
    }
  }
}
