// One endpoint's lane: how many of its deliveries may be under way now, and who waits for a turn. The limit
// starts low, so that endpoints that nobody knows cannot take all slots at once; it grows with every
// success and is halved by every failure.
import { TOTAL_DEADLINE_MS } from '#ops/net/post.js';
import { Breaker } from './breaker.js';
import { RateBucket } from './bucket.js';

/** At most under way at once, of one endpoint. */
export const IN_FLIGHT = 8;
/** How long a worker may hold an entry without renewing it before another takes it over. */
export const LEASE_MS = 12_000;
/** Begun later than this after it was taken, an attempt could outlast the lease. */
export const MAX_WAIT_MS = 1_500;
/** When what is parked comes back by itself, if nobody fetches it sooner. */
export const RETURN_MS = 1_000;
const FIRST_LIMIT = 2;
const RAISE = 0.5;
const FIRST_GUESS_MS = 20;
const AVERAGED = 8;

if (MAX_WAIT_MS + TOTAL_DEADLINE_MS >= LEASE_MS) throw new Error('the lease is too short');

/** What an attempt said of its endpoint; `unrelated`: nothing (it was not asked). */
export type AttemptOutcome = 'success' | 'failure' | 'throttled' | 'unrelated';

interface WaitingJob<Job> {
  readonly job: Job;
  readonly sinceMs: number;
}

export class EndpointLane<Job> {
  readonly endpointId: string;
  readonly waiting: WaitingJob<Job>[] = [];
  readonly breaker = new Breaker();
  readonly #bucket: RateBucket;
  active = 0;
  /** Places given to deliveries that are being loaded. */
  reserved = 0;
  /** More of it is parked in Redis, as far as we know. */
  hasDeferred = false;
  isFetching = false;
  /** Its last attempt succeeded. */
  isProven = false;
  usedMs: number;
  #limit = FIRST_LIMIT;
  /** Of an attempt, a moving average. */
  #durationMs = FIRST_GUESS_MS;
  /** When those under way began, the first first. */
  readonly #begunMs: number[] = [];

  constructor(endpointId: string, nowMs: number) {
    this.endpointId = endpointId;
    this.usedMs = nowMs;
    this.#bucket = new RateBucket(nowMs);
  }

  /** Whether another may begin now. */
  canBegin(nowMs: number): boolean {
    return this.active < this.breaker.limit(Math.floor(this.#limit), nowMs);
  }

  /** How many more can be taken that begin soon, if at most `mayWait` wait. */
  countRoom(mayWait: number, nowMs: number): number {
    const limit = this.breaker.limit(Math.floor(this.#limit), nowMs);
    const soon = (limit * MAX_WAIT_MS) / 2 / this.#expectedMs(nowMs);
    const queue = this.breaker.isClosed ? Math.min(mayWait, Math.floor(soon)) : 0;
    const behind = this.waiting.length + this.reserved;
    const paced = this.#bucket.within(MAX_WAIT_MS / 2, nowMs) - behind;
    return Math.max(0, Math.min(limit + queue - this.active - behind, paced));
  }

  /** When what is parked now should be tried again. */
  computeReturnAtMs(nowMs: number): number {
    return Math.max(nowMs + RETURN_MS, this.breaker.opensAtMs);
  }

  begin(nowMs: number): void {
    this.active += 1;
    this.#begunMs.push(nowMs);
    this.#bucket.take(nowMs);
  }

  end(outcome: AttemptOutcome, beganMs: number, nowMs: number): void {
    this.active -= 1;
    this.#begunMs.splice(this.#begunMs.indexOf(beganMs), 1);
    this.usedMs = nowMs;
    this.#durationMs += (nowMs - beganMs - this.#durationMs) / AVERAGED;
    if (outcome === 'unrelated') return;
    this.isProven = outcome === 'success';
    if (outcome === 'success') {
      this.#limit = Math.min(IN_FLIGHT, this.#limit + RAISE);
      this.#bucket.raise();
      this.breaker.succeed();
      return;
    }
    this.#limit = Math.max(1, this.#limit / 2);
    if (outcome === 'throttled') this.#bucket.halve();
    this.breaker.fail(beganMs, nowMs);
  }

  /** An endpoint that hangs tells nothing for 10 s but by the age of what is under way. */
  #expectedMs(nowMs: number): number {
    const [oldestMs = nowMs] = this.#begunMs;
    return Math.max(this.#durationMs, nowMs - oldestMs);
  }
}
