// The lanes of a worker. A delivery gets a place in its endpoint's lane before it is loaded, or is sent back
// to be parked in Redis, where a lane has its own list that costs nothing while the lane cannot go. A place is
// given only to what begins soon, so a slow or dead endpoint holds no slot of the others:
//
//   - up to 8 under way (adaptive), none but probes while the breaker is open, no more than the bucket gives;
//   - a few wait in memory, so that the lane does not run dry while more is fetched from its list;
//   - endpoints whose last attempt failed, and new ones, have no more than half of all slots together.
import { EndpointLane, MAX_WAIT_MS, type AttemptOutcome } from './lane.js';

/** Waiting of one lane, while few wait in all; else no more than BUSY_WAITING. */
const MAX_WAITING = 64;
const BUSY_WAITING = 8;
const IDLE_MS = 60_000;
/** More is fetched when fewer than this wait. */
const FETCH_BELOW = 8;

export interface EndpointLanesOptions<Job> {
  /** All places there are. */
  slots: number;
  /** Never rejects. */
  work: (job: Job) => Promise<AttemptOutcome>;
  /** Gives a job back, to be parked until `returnAtMs` (of the clock below). */
  defer: (job: Job, returnAtMs: number) => void;
  /** Makes up to `count` of what is parked ready again; answers how many are left there. */
  fetch: (endpointId: string, count: number) => Promise<number>;
  /** While it is true, nothing begins: what waits may be others' by now. */
  isPaused: () => boolean;
  nowMs: () => number;
}

/** A place in a lane: one for each delivery in hand. */
export interface LanePlace<Job> {
  readonly lane: EndpointLane<PlacedJob<Job>>;
  readonly isProven: boolean;
}

interface PlacedJob<Job> {
  readonly job: Job;
  readonly place: LanePlace<Job>;
}

export class EndpointLanes<Job> {
  readonly #options: EndpointLanesOptions<Job>;
  readonly #lanes = new Map<string, EndpointLane<PlacedJob<Job>>>();
  #unproven = 0;
  #waiting = 0;

  constructor(options: EndpointLanesOptions<Job>) {
    this.#options = options;
  }

  /** A place, which must be used or given up; or the time until which the delivery is to be parked. */
  reserve(endpointId: string): LanePlace<Job> | number {
    const nowMs = this.#options.nowMs();
    const lane = this.#lane(endpointId, nowMs);
    const isCrowded = !lane.isProven && this.#unproven >= this.#options.slots / 2;
    if (isCrowded || lane.countRoom(this.#mayWait(), nowMs) === 0) {
      lane.hasDeferred = true;
      return lane.computeReturnAtMs(nowMs);
    }
    lane.reserved += 1;
    if (!lane.isProven) this.#unproven += 1;
    return { lane, isProven: lane.isProven };
  }

  giveUp(place: LanePlace<Job>): void {
    place.lane.reserved -= 1;
    this.#free(place);
  }

  /** Begins the job at its place, or lets it wait there. */
  start(place: LanePlace<Job>, job: Job): void {
    const { lane } = place;
    const nowMs = this.#options.nowMs();
    lane.reserved -= 1;
    lane.waiting.push({ job: { job, place }, sinceMs: nowMs });
    this.#waiting += 1;
    this.#go(lane, nowMs);
  }

  /** Its list in Redis holds something: it is fetched when the lane can go. */
  noteDeferred(endpointId: string): void {
    const nowMs = this.#options.nowMs();
    const lane = this.#lane(endpointId, nowMs);
    lane.hasDeferred = true;
    this.#fetch(lane, nowMs);
  }

  /** Parks what has waited too long, fetches what can go, forgets idle lanes; to be called often. */
  sweep(): void {
    const nowMs = this.#options.nowMs();
    for (const [endpointId, lane] of this.#lanes) {
      if (lane.waiting.length > 0 || lane.hasDeferred) this.#go(lane, nowMs);
      const isIdle = lane.active === 0 && lane.reserved === 0 && lane.breaker.isClosed;
      if (isIdle && nowMs - lane.usedMs > IDLE_MS) this.#lanes.delete(endpointId);
    }
  }

  /** Forgets what has not begun and is somebody else's by now; answers it. */
  drop(isLost: (job: Job) => boolean): Job[] {
    const dropped: Job[] = [];
    for (const lane of this.#lanes.values()) {
      for (const waiting of lane.waiting.filter(({ job }) => isLost(job.job))) {
        lane.waiting.splice(lane.waiting.indexOf(waiting), 1);
        this.#waiting -= 1;
        this.#free(waiting.job.place);
        dropped.push(waiting.job.job);
      }
    }
    return dropped;
  }

  /** Gives everything back that has not begun. */
  release(): void {
    const nowMs = this.#options.nowMs();
    for (const lane of this.#lanes.values()) {
      while (lane.waiting.length > 0) this.#park(lane, nowMs);
    }
  }

  countOpenBreakers(): number {
    let open = 0;
    for (const { breaker } of this.#lanes.values()) if (!breaker.isClosed) open += 1;
    return open;
  }

  #mayWait(): number {
    return this.#waiting < this.#options.slots / 4 ? MAX_WAITING : BUSY_WAITING;
  }

  #lane(endpointId: string, nowMs: number): EndpointLane<PlacedJob<Job>> {
    const known = this.#lanes.get(endpointId);
    if (known !== undefined) return known;
    const lane = new EndpointLane<PlacedJob<Job>>(endpointId, nowMs);
    this.#lanes.set(endpointId, lane);
    return lane;
  }

  /** Begins what may begin, parks what must not wait any longer, fetches more where there is room. */
  #go(lane: EndpointLane<PlacedJob<Job>>, nowMs: number): void {
    for (let first = lane.waiting[0]; first !== undefined; first = lane.waiting[0]) {
      if (nowMs - first.sinceMs > MAX_WAIT_MS || !lane.breaker.mayWait(nowMs)) {
        this.#park(lane, lane.computeReturnAtMs(nowMs));
      } else if (lane.canBegin(nowMs) && !this.#options.isPaused()) {
        lane.waiting.shift();
        this.#waiting -= 1;
        lane.begin(nowMs);
        void this.#run(first.job, nowMs);
      } else {
        break;
      }
    }
    this.#fetch(lane, nowMs);
  }

  async #run({ job, place }: PlacedJob<Job>, beganMs: number): Promise<void> {
    const outcome = await this.#options.work(job);
    const nowMs = this.#options.nowMs();
    place.lane.end(outcome, beganMs, nowMs);
    this.#free(place);
    this.#go(place.lane, nowMs);
  }

  #park(lane: EndpointLane<PlacedJob<Job>>, returnAtMs: number): void {
    const first = lane.waiting.shift();
    if (first === undefined) return;
    this.#waiting -= 1;
    lane.hasDeferred = true;
    this.#free(first.job.place);
    this.#options.defer(first.job.job, returnAtMs);
  }

  #free({ isProven }: LanePlace<Job>): void {
    if (!isProven) this.#unproven -= 1;
  }

  #fetch(lane: EndpointLane<PlacedJob<Job>>, nowMs: number): void {
    // While it is open, a probe comes by itself when the pause is over.
    const isWanted = lane.hasDeferred && !lane.isFetching && lane.breaker.isClosed;
    if (!isWanted || lane.waiting.length + lane.reserved >= FETCH_BELOW) return;
    const room = lane.countRoom(this.#mayWait(), nowMs);
    if (room === 0) return;
    lane.isFetching = true;
    this.#options.fetch(lane.endpointId, room).then(
      (left) => {
        lane.isFetching = false;
        lane.hasDeferred = left > 0;
      },
      () => {
        // The list returns by itself, see RETURN_MS.
        lane.isFetching = false;
      },
    );
  }
}
