// The token bucket of a lane limits the attempts per second that this process makes at an endpoint. The rate starts at
// MAX_PER_SECOND; a 429 halves it, and each success raises it by RAISE.

const MAX_PER_SECOND = 1_000;
const MIN_PER_SECOND = 1;
/** The bucket holds the tokens of this many seconds, and one at least. */
const BURST_S = 0.5;
/** 95 successes raise the rate from 1 to 100 per second. */
const RAISE = 1.05;

export class RateBucket {
  #perSecond = MAX_PER_SECOND;
  #tokens = MAX_PER_SECOND * BURST_S;
  #atMs: number;

  constructor(nowMs: number) {
    this.#atMs = nowMs;
  }

  /** May go below zero, because `countWithin` also counts tokens of the near future. */
  take(nowMs: number): void {
    this.#fill(nowMs);
    this.#tokens -= 1;
  }

  /** Whole tokens that the bucket will have in `ms`. */
  countWithin(ms: number, nowMs: number): number {
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
    this.#tokens = Math.min(this.#tokens, this.#capacity);
  }

  get #capacity(): number {
    return Math.max(1, this.#perSecond * BURST_S);
  }

  #fill(nowMs: number): void {
    const gained = ((nowMs - this.#atMs) / 1_000) * this.#perSecond;
    this.#tokens = Math.min(this.#capacity, this.#tokens + Math.max(0, gained));
    this.#atMs = nowMs;
  }
}
