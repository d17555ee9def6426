// Redis' clock as this process knows it, and whether Redis is heard at all. The positions of commands are
// Redis' time, so their age is told by its clock too: however far the clocks of two machines are apart, a
// command is as old as it is. Measured by the stream guard, four times a second.
import type { RedisContact } from '#store/postgres/payments/partition-leases.js';
import type { Clock } from './ports.js';

/** Six looks of the stream guard. */
export const HEARD_WITHIN_MS = 1_500;
/** An answer that took longer says too little about the time. */
const MAX_ROUND_TRIP_MS = 1_000;

export interface StreamClockDeps {
  clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  /** Redis' time, Unix milliseconds; rejects when Redis cannot be reached. */
  readTime: () => Promise<number>;
}

export class StreamClock {
  readonly #parts: StreamClockDeps;
  #aheadMs: number | undefined;
  #heardAtMs = Number.NEGATIVE_INFINITY;
  #heardSinceMs = Number.NEGATIVE_INFINITY;
  /** While nothing was heard yet, as long as we try. */
  readonly #beganAtMs: number;

  constructor(parts: StreamClockDeps) {
    this.#parts = parts;
    this.#beganAtMs = parts.clock.monotonicMs();
  }

  /** Rejects when Redis cannot be reached. */
  async measure(): Promise<void> {
    const { clock, readTime } = this.#parts;
    const askedAtMs = clock.monotonicMs();
    const redisMs = await readTime();
    const heardAtMs = clock.monotonicMs();
    const roundTripMs = heardAtMs - askedAtMs;
    if (roundTripMs <= MAX_ROUND_TRIP_MS) {
      this.#aheadMs = redisMs + roundTripMs / 2 - clock.nowMs();
    }
    if (heardAtMs - this.#heardAtMs > HEARD_WITHIN_MS) this.#heardSinceMs = heardAtMs;
    this.#heardAtMs = heardAtMs;
  }

  /** What Redis' clock says now; undefined before it was heard. */
  estimateNowMs(): number | undefined {
    return this.#aheadMs === undefined ? undefined : this.#parts.clock.nowMs() + this.#aheadMs;
  }

  readContact(): RedisContact {
    const nowMs = this.#parts.clock.monotonicMs();
    const silentMs = nowMs - Math.max(this.#heardAtMs, this.#beganAtMs);
    const isHeard = nowMs - this.#heardAtMs <= HEARD_WITHIN_MS;
    return { isReachable: isHeard, forMs: isHeard ? nowMs - this.#heardSinceMs : silentMs };
  }
}
