// The token bucket of a lane: how many attempts a second an endpoint gets from this process. It starts at
// the most; a receiver that answers 429 halves its rate, and each attempt that it takes raises it a little.

const MAX_PER_SECOND = 1_000;
const MIN_PER_SECOND = 1;
/** Seconds of its rate that a bucket holds, and at least one token. */
const BURST_S = 0.5;
/** Of its rate, for each success: from 1 to 100 a second takes 95 of them. */
const RAISE = 1.05;

export class RateBucket {
  #perSecond = MAX_PER_SECOND;
  #tokens = MAX_PER_SECOND * BURST_S;
  #atMs: number;

  constructor(nowMs: number) {
    this.#atMs = nowMs;
  }

  /** May go below zero: who asked `within` before begins that much too early. */
  take(nowMs: number): void {
    this.#fill(nowMs);
    this.#tokens -= 1;
  }

  /** How many tokens there are in `ms`, whole ones. */
  within(ms: number, nowMs: number): number {
    this.#fill(nowMs);
    return Math.max(0, Math.floor(this.#tokens + (ms / 1_000) * this.#perSecond));
  }

  raise(): void {
    if (this.#perSecond < MAX_PER_SECOND) {
      this.#perSecond = Math.min(MAX_PER_SECOND, this.#perSecond * RAISE);
    }
  }

  halve(): void {
    this.#perSecond = Math.max(MIN_PER_SECOND, this.#perSecond / 2);
    this.#tokens = Math.min(this.#tokens, this.#most);
  }

  get #most(): number {
    return Math.max(1, this.#perSecond * BURST_S);
  }

  #fill(nowMs: number): void {
    const gained = ((nowMs - this.#atMs) / 1_000) * this.#perSecond;
    this.#tokens = Math.min(this.#most, this.#tokens + Math.max(0, gained));
    this.#atMs = nowMs;
  }
}
