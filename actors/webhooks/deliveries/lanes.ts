// The lanes of a worker, one for each endpoint. A delivery gets a place in its lane before it is loaded, or is deferred:
// it goes to the lane's list in Redis, where it takes no slot. Only deliveries that begin soon get a place, so a slow or
// dead endpoint holds no slot of the others:
//
//   - up to MAX_IN_FLIGHT are under way (adaptive), only probes while the breaker is open, and no more than the rate
//     bucket allows;
//   - a few wait in memory, so that the lane does not run dry while more is fetched from its list;
//   - a test event of a person passes the breaker, the rate bucket and those that wait, up to MAX_IN_FLIGHT;
//   - unproven endpoints (new ones, and those whose last attempt failed) share half of all slots.
import { type AttemptOutcome, EndpointLane, MAX_IN_FLIGHT } from './lane.js';
import { MAX_WAIT_MS } from './lease.js';

/** Deliveries that may wait in one lane; BUSY_WAITING when a quarter of all slots waits. */
const MAX_WAITING = 64;
const BUSY_WAITING = 8;
/** An idle lane is deleted, with its breaker. Longer than the longest pause of a breaker and an attempt together. */
const IDLE_MS = 60_000;
/** More deliveries are fetched while fewer than this wait. */
const FETCH_BELOW = 8;

export interface EndpointLanesOptions<Job> {
  /** Places of all lanes together. */
  slots: number;
  /** Never rejects. */
  work: (job: Job) => Promise<AttemptOutcome>;
  /** Defers a job that was not begun for `returnInMs`. */
  defer: (job: Job, returnInMs: number) => void;
  /** Makes up to `count` deliveries of the lane's list ready; resolves with how many are left in it. */
  fetch: (endpointId: string, count: number) => Promise<number>;
  /** While it is true no job begins: the waiting ones may belong to other workers by now. */
  isPaused: () => boolean;
  /** The breaker of the lane has opened: nothing is sent to the endpoint for this time. */
  onPaused: (endpointId: string, pauseMs: number) => void;
  monotonicMs: () => number;
}

/** A place in a lane; each held delivery has one. */
export interface LanePlace<Job> {
  readonly lane: EndpointLane<PlacedJob<Job>>;
  readonly isProven: boolean;
  /** It begins at once, also while the breaker is open. */
  readonly isUrgent: boolean;
}

interface PlacedJob<Job> {
  readonly job: Job;
  readonly place: LanePlace<Job>;
}

export class EndpointLanes<Job> {
  readonly #options: EndpointLanesOptions<Job>;
  readonly #lanes = new Map<string, EndpointLane<PlacedJob<Job>>>();
  #unprovenPlaces = 0;
  #waiting = 0;

  constructor(options: EndpointLanesOptions<Job>) {
    this.#options = options;
  }

  /** Returns a place, to be started or given up; or the milliseconds for which the delivery is to be deferred. */
  reserve(endpointId: string, isTest = false): LanePlace<Job> | number {
    const nowMs = this.#options.monotonicMs();
    const lane = this.#openLane(endpointId, nowMs);
    const isCrowded = !lane.isProven && this.#unprovenPlaces >= this.#options.slots / 2;
    const isUrgent = isTest && lane.active + lane.reserved < MAX_IN_FLIGHT;
    if (!isUrgent && (isCrowded || lane.countRoom(this.#countMaxWaiting(), nowMs) === 0)) {
      lane.hasDeferred = true;
      return lane.computeReturnInMs(nowMs);
    }
    lane.reserved += 1;
    if (!lane.isProven) this.#unprovenPlaces += 1;
    return { lane, isProven: lane.isProven, isUrgent };
  }

  giveUp(place: LanePlace<Job>): void {
    place.lane.reserved -= 1;
    this.#freePlace(place);
  }

  /** Begins the job, or lets it wait for its turn. */
  start(place: LanePlace<Job>, job: Job): void {
    const { lane } = place;
    const nowMs = this.#options.monotonicMs();
    lane.reserved -= 1;
    const waiting = { job: { job, place }, sinceMs: nowMs };
    if (place.isUrgent) lane.waiting.unshift(waiting);
    else lane.waiting.push(waiting);
    this.#waiting += 1;
    this.#advance(lane, nowMs);
  }

  /** The lane's list in Redis has deliveries: they are fetched when the lane has room. */
  noteDeferred(endpointId: string): void {
    const nowMs = this.#options.monotonicMs();
    const lane = this.#openLane(endpointId, nowMs);
    lane.hasDeferred = true;
    this.#fetchMore(lane, nowMs);
  }

  /** Defers jobs that waited too long, begins and fetches others, deletes idle lanes. Must be called often. */
  sweep(): void {
    const nowMs = this.#options.monotonicMs();
    for (const [endpointId, lane] of this.#lanes) {
      if (lane.waiting.length > 0 || lane.hasDeferred) this.#advance(lane, nowMs);
      const isIdle = lane.active + lane.reserved + lane.waiting.length === 0;
      if (isIdle && nowMs - lane.usedAtMs > IDLE_MS) this.#lanes.delete(endpointId);
    }
  }

  /** Removes waiting jobs that are lost, and returns them. */
  drop(isLost: (job: Job) => boolean): Job[] {
    const dropped: Job[] = [];
    for (const lane of this.#lanes.values()) {
      for (const waiting of lane.waiting.filter(({ job }) => isLost(job.job))) {
        lane.waiting.splice(lane.waiting.indexOf(waiting), 1);
        this.#waiting -= 1;
        this.#freePlace(waiting.job.place);
        dropped.push(waiting.job.job);
      }
    }
    return dropped;
  }

  /** Defers all waiting jobs, due at once. */
  release(): void {
    for (const lane of this.#lanes.values()) {
      while (lane.waiting.length > 0) this.#defer(lane, 0);
    }
  }

  countOpenBreakers(): number {
    let open = 0;
    for (const { breaker } of this.#lanes.values()) if (!breaker.isClosed) open += 1;
    return open;
  }

  #countMaxWaiting(): number {
    return this.#waiting < this.#options.slots / 4 ? MAX_WAITING : BUSY_WAITING;
  }

  #openLane(endpointId: string, nowMs: number): EndpointLane<PlacedJob<Job>> {
    const known = this.#lanes.get(endpointId);
    if (known !== undefined) return known;
    const lane = new EndpointLane<PlacedJob<Job>>(endpointId, nowMs);
    this.#lanes.set(endpointId, lane);
    return lane;
  }

  /** Begins jobs that may begin, defers jobs that must not wait longer, and fetches more where there is room. */
  #advance(lane: EndpointLane<PlacedJob<Job>>, nowMs: number): void {
    for (let first = lane.waiting[0]; first !== undefined; first = lane.waiting[0]) {
      const { isUrgent } = first.job.place;
      const isTooLate = nowMs - first.sinceMs > MAX_WAIT_MS;
      if (isTooLate || !(isUrgent || lane.breaker.countAllowed(1, nowMs) > 0)) {
        this.#defer(lane, lane.computeReturnInMs(nowMs));
      } else if ((isUrgent || lane.canBegin(nowMs)) && !this.#options.isPaused()) {
        lane.waiting.shift();
        this.#waiting -= 1;
        lane.begin(nowMs);
        void this.#run(first.job, nowMs);
      } else {
        break;
      }
    }
    this.#fetchMore(lane, nowMs);
  }

  async #run({ job, place }: PlacedJob<Job>, beganMs: number): Promise<void> {
    const outcome = await this.#options.work(job);
    const nowMs = this.#options.monotonicMs();
    const { lane } = place;
    const isPausing = lane.end(outcome, beganMs, nowMs);
    if (isPausing) this.#options.onPaused(lane.endpointId, lane.breaker.nextProbeMs - nowMs);
    this.#freePlace(place);
    this.#advance(lane, nowMs);
  }

  #defer(lane: EndpointLane<PlacedJob<Job>>, returnInMs: number): void {
    const first = lane.waiting.shift();
    if (first === undefined) return;
    this.#waiting -= 1;
    lane.hasDeferred = true;
    this.#freePlace(first.job.place);
    this.#options.defer(first.job.job, returnInMs);
  }

  #freePlace({ isProven }: LanePlace<Job>): void {
    if (!isProven) this.#unprovenPlaces -= 1;
  }

  #fetchMore(lane: EndpointLane<PlacedJob<Job>>, nowMs: number): void {
    // While the breaker is open, the due-list brings a probe when the pause is over.
    const isWanted = lane.hasDeferred && !lane.isFetching && lane.breaker.isClosed;
    if (!isWanted || lane.waiting.length + lane.reserved >= FETCH_BELOW) return;
    const room = lane.countRoom(this.#countMaxWaiting(), nowMs);
    if (room === 0) return;
    lane.isFetching = true;
    this.#options.fetch(lane.endpointId, room).then(
      (left) => {
        lane.isFetching = false;
        lane.hasDeferred = left > 0;
      },
      () => {
        // The lane is due again after RETURN_MS without a fetch, too.
        lane.isFetching = false;
      },
    );
  }
}
