// A lane per endpoint: at most 8 of its deliveries are under way at once, a few more wait in memory as long
// as they are sure to start while our lease on them lasts, and whatever is beyond goes back to the due-list,
// spread at the pace at which the lane has been going. So a slow endpoint holds no slot of the others.
import { TOTAL_DEADLINE_MS } from '../../ops/net/post.js';

export const IN_FLIGHT = 8;
/** How long a worker may hold an entry before another takes it over. */
export const LEASE_MS = 12_000;
/** Begun later than this after it was taken, an attempt could outlast the lease. */
const MAX_WAIT_MS = 1_500;
const MAX_WAITING = 256;
const PARK_MIN_MS = 200;
const FIRST_GUESS_MS = 20;
const IDLE_MS = 60_000;

if (MAX_WAIT_MS + TOTAL_DEADLINE_MS >= LEASE_MS) throw new Error('the lease is too short');

interface Lane<Job> {
  active: number;
  waiting: { job: Job; sinceMs: number }[];
  /** Of the attempts, a moving average. */
  durationMs: number;
  /** When the next delivery that is parked should come back. */
  nextSlotMs: number;
  usedMs: number;
}

export interface LanesOptions<Job> {
  /** Never rejects. */
  work: (job: Job) => Promise<void>;
  /** Gives a job back, to return at `dueAtMs` (of the clock below). */
  park: (job: Job, dueAtMs: number) => void;
  nowMs: () => number;
}

export class Lanes<Job> {
  readonly #options: LanesOptions<Job>;
  readonly #lanes = new Map<string, Lane<Job>>();

  constructor(options: LanesOptions<Job>) {
    this.#options = options;
  }

  offer(endpointId: string, job: Job): void {
    const lane = this.#lane(endpointId);
    const nowMs = this.#options.nowMs();
    lane.usedMs = nowMs;
    if (lane.active < IN_FLIGHT) {
      void this.#run(lane, job);
      return;
    }
    const waitMs = ((lane.waiting.length + 1) * lane.durationMs) / IN_FLIGHT;
    if (waitMs <= MAX_WAIT_MS / 2 && lane.waiting.length < MAX_WAITING) {
      lane.waiting.push({ job, sinceMs: nowMs });
    } else {
      this.#park(lane, job, nowMs);
    }
  }

  /** Parks what has waited too long, and forgets lanes without use; call it a few times a second. */
  sweep(): void {
    const nowMs = this.#options.nowMs();
    for (const [endpointId, lane] of this.#lanes) {
      while (isLate(lane.waiting[0], nowMs)) {
        const late = lane.waiting.shift();
        if (late !== undefined) this.#park(lane, late.job, nowMs);
      }
      if (lane.active === 0 && nowMs - lane.usedMs > IDLE_MS) this.#lanes.delete(endpointId);
    }
  }

  /** Gives everything back that has not begun. */
  release(): void {
    const nowMs = this.#options.nowMs();
    for (const lane of this.#lanes.values()) {
      for (const { job } of lane.waiting.splice(0)) this.#options.park(job, nowMs);
    }
  }

  #lane(endpointId: string): Lane<Job> {
    const known = this.#lanes.get(endpointId);
    if (known !== undefined) return known;
    const lane = { active: 0, waiting: [], durationMs: FIRST_GUESS_MS, nextSlotMs: 0, usedMs: 0 };
    this.#lanes.set(endpointId, lane);
    return lane;
  }

  async #run(lane: Lane<Job>, first: Job): Promise<void> {
    lane.active += 1;
    for (let job: Job | undefined = first; job !== undefined; job = this.#next(lane)) {
      const beganMs = this.#options.nowMs();
      await this.#options.work(job);
      const nowMs = this.#options.nowMs();
      lane.durationMs += (nowMs - beganMs - lane.durationMs) / IN_FLIGHT;
      lane.usedMs = nowMs;
    }
    lane.active -= 1;
  }

  #next(lane: Lane<Job>): Job | undefined {
    const nowMs = this.#options.nowMs();
    for (let next = lane.waiting.shift(); next !== undefined; next = lane.waiting.shift()) {
      if (!isLate(next, nowMs)) return next.job;
      this.#park(lane, next.job, nowMs);
    }
    return undefined;
  }

  #park(lane: Lane<Job>, job: Job, nowMs: number): void {
    lane.nextSlotMs = Math.max(nowMs + PARK_MIN_MS, lane.nextSlotMs + lane.durationMs / IN_FLIGHT);
    this.#options.park(job, lane.nextSlotMs);
  }
}

const isLate = (waiting: { sinceMs: number } | undefined, nowMs: number): boolean =>
  waiting !== undefined && nowMs - waiting.sinceMs > MAX_WAIT_MS;
