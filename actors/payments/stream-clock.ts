// Redis' clock as this process knows it, and whether Redis answers. Redis dates the commands, so its clock also measures how
// long they waited (docs/decisions/0008-clocks-and-time.md).
import type { Clock } from '#ops/runtime/clock.js';
import type { RedisContact } from '#store/postgres/payments/partition-leases.js';

/** Three rounds of the stream guard. */
export const REACHABLE_WITHIN_MS = 1_500;
/** The error of a measurement is up to half its round trip: a slower answer does not set the clock. */
const MAX_ROUND_TRIP_MS = 1_000;

export interface StreamClockDeps {
  clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  /** Redis' time in Unix milliseconds. Rejects when Redis does not answer. */
  readTime: () => Promise<number>;
  /** The run id of the master; null: it does not say. Rejects when the server is no master. */
  readRunId?: () => Promise<string | null>;
}

export class StreamClock {
  readonly #deps: StreamClockDeps;
  readonly #startedAtMs: number;
  #aheadMs: number | undefined;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  #reachableSinceMs = Number.NEGATIVE_INFINITY;
  #runId: string | null = null;

  constructor(deps: StreamClockDeps) {
    this.#deps = deps;
    this.#startedAtMs = deps.clock.monotonicMs();
  }

  /** Rejects when Redis does not answer. */
  async measure(): Promise<void> {
    const { clock, readTime, readRunId } = this.#deps;
    const askedAtMs = clock.monotonicMs();
    // At once, so that the process is woken once for both.
    const [runId = null, redisMs] = await Promise.all([readRunId?.(), readTime()]);
    const answeredAtMs = clock.monotonicMs();
    const roundTripMs = answeredAtMs - askedAtMs;
    if (roundTripMs <= MAX_ROUND_TRIP_MS) {
      this.#aheadMs = redisMs + roundTripMs / 2 - clock.nowMs();
    }
    const wasAway = answeredAtMs - this.#answeredAtMs > REACHABLE_WITHIN_MS;
    if (wasAway || runId !== this.#runId) this.#reachableSinceMs = answeredAtMs;
    this.#runId = runId;
    this.#answeredAtMs = answeredAtMs;
  }

  /** Redis' time now; undefined before the first measurement. */
  estimateNowMs(): number | undefined {
    return this.#aheadMs === undefined ? undefined : this.#deps.clock.nowMs() + this.#aheadMs;
  }

  readContact(): RedisContact {
    const nowMs = this.#deps.clock.monotonicMs();
    const isReachable = nowMs - this.#answeredAtMs <= REACHABLE_WITHIN_MS;
    const sinceMs = isReachable
      ? this.#reachableSinceMs
      : Math.max(this.#answeredAtMs, this.#startedAtMs);
    return { isReachable, forMs: nowMs - sinceMs, runId: this.#runId };
  }
}
