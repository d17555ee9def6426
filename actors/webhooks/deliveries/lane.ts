// The lane of one endpoint decides how many of its deliveries may be under way, and keeps those that wait for a turn.
// The limit starts low, so that unknown endpoints cannot take all slots at once; each success raises it, and each failure
// halves it.
import { CircuitBreaker } from '#ops/runtime/circuit-breaker.js';
import { MAX_WAIT_MS, RETURN_MS } from './lease.js';
import { RateBucket } from './rate-bucket.js';

/** Attempts of one endpoint that may be under way at once. */
export const MAX_IN_FLIGHT = 8;
const FIRST_LIMIT = 2;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
const RAISE = 0.5;
const FIRST_DURATION_MS = 20;
/** Attempts over which the average duration moves. */
const AVERAGED = 8;

/**
 * The result of an attempt for its lane. `unrelated`: it says nothing about the endpoint. `inactive`: the endpoint was
 * deactivated or deleted, and nothing is sent to it. `held`: it was deactivated, and its deliveries wait for its activation.
 */
export type AttemptOutcome =
  'success' | 'failure' | 'throttled' | 'inactive' | 'held' | 'unrelated';

/** Between two looks whether an endpoint still holds its deliveries. */
export const HOLD_MS = 5_000;

interface WaitingJob<Job> {
  readonly job: Job;
  readonly sinceMs: number;
}

export class EndpointLane<Job> {
  readonly endpointId: string;
  readonly waiting: WaitingJob<Job>[] = [];
  readonly breaker = new CircuitBreaker({ firstRestMs: FIRST_PAUSE_MS, maxRestMs: MAX_PAUSE_MS });
  readonly #bucket: RateBucket;
  active = 0;
  /** Places of deliveries that are being loaded. */
  reserved = 0;
  /** The lane's list in Redis has deliveries, as far as this process knows. */
  hasDeferred = false;
  isFetching = false;
  /** The last attempt succeeded. */
  isProven = false;
  usedAtMs: number;
  #limit = FIRST_LIMIT;
  /** Moving average of an attempt's duration. */
  #durationMs = FIRST_DURATION_MS;
  /** When the attempts under way began, oldest first. */
  readonly #beganAtMs: number[] = [];

  constructor(endpointId: string, nowMs: number) {
    this.endpointId = endpointId;
    this.usedAtMs = nowMs;
    this.#bucket = new RateBucket(nowMs);
  }

  canBegin(nowMs: number): boolean {
    return this.active < this.breaker.countAllowed(Math.floor(this.#limit), nowMs);
  }

  /** How many more deliveries the lane can hold that will begin soon, if `maxWaiting` may wait. */
  countRoom(maxWaiting: number, nowMs: number): number {
    const limit = this.breaker.countAllowed(Math.floor(this.#limit), nowMs);
    const soon = (limit * MAX_WAIT_MS) / 2 / this.#estimateDuration(nowMs);
    const queue = this.breaker.isClosed ? Math.min(maxWaiting, Math.floor(soon)) : 0;
    const pending = this.waiting.length + this.reserved;
    const paced = this.#bucket.countWithin(MAX_WAIT_MS / 2, nowMs) - pending;
    return Math.max(0, Math.min(limit + queue - this.active - pending, paced));
  }

  /** Milliseconds until a delivery that is deferred now is due again. */
  computeReturnInMs(nowMs: number): number {
    return Math.max(RETURN_MS, this.breaker.nextProbeMs - nowMs);
  }

  begin(nowMs: number): void {
    this.active += 1;
    this.#beganAtMs.push(nowMs);
    this.#bucket.take(nowMs);
  }

  /** Returns whether a pause of the breaker begins that its merchant should see. */
  end(outcome: AttemptOutcome, beganMs: number, nowMs: number): boolean {
    this.active -= 1;
    this.#beganAtMs.splice(this.#beganAtMs.indexOf(beganMs), 1);
    this.usedAtMs = nowMs;
    this.#durationMs += (nowMs - beganMs - this.#durationMs) / AVERAGED;
    if (outcome === 'unrelated') return false;
    if (outcome === 'held') {
      this.breaker.hold(nowMs + HOLD_MS);
      return false;
    }
    if (outcome === 'inactive') {
      // No endpoint is left to protect, and its other deliveries need no probes to become dead letters.
      this.breaker.succeed();
      return false;
    }
    this.isProven = outcome === 'success';
    if (outcome === 'success') {
      this.#limit = Math.min(MAX_IN_FLIGHT, this.#limit + RAISE);
      this.#bucket.raise();
      this.breaker.succeed();
      return false;
    }
    this.#limit = Math.max(1, this.#limit / 2);
    if (outcome === 'throttled') this.#bucket.halve();
    return this.breaker.fail(beganMs, nowMs);
  }

  /** The age of the oldest attempt under way counts too, because an endpoint that hangs ends no attempt for 10 s. */
  #estimateDuration(nowMs: number): number {
    const [oldestMs = nowMs] = this.#beganAtMs;
    return Math.max(this.#durationMs, nowMs - oldestMs);
  }
}
