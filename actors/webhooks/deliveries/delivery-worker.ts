// The delivery worker reads entries of the ready streams, gives each a place in its endpoint's lane or defers it, loads
// the placed deliveries by one query, and attempts them. SLOTS bounds the entries that it holds.
//
// States of a delivery. Postgres holds its row, Redis one entry with its id:
//
//   DUE ──▶ READY ──▶ HELD ──▶ ATTEMPTED ──▶ RECORDED ──▶ FINISHED (delivered, dead, or DUE again)
//    ▲        ▲         │
//    │        │         ├──▶ DEFERRED   the lane has no room: the delivery waits in the lane's list in Redis, or, if
//    │        └─────────│───────┘       the list is full, in Postgres, until the worker fetches it or it is its turn
//    └──────────────────┴──▶ RETURNED   not due yet, of a lane that another process has, or the process stops
//
//   READY      The entry is in a ready stream. Any worker may read it.
//   HELD       This worker read it and has its lease (lease.ts). Only now may it attempt, defer or return it.
//   ATTEMPTED  The request was sent. The slot stays taken until both stores have the outcome.
//   RECORDED   Postgres has the attempt and the next step, by compare-and-set on the number of attempts: an attempt of
//              a worker that lost its lease changes nothing.
//   FINISHED   The entry is acknowledged and deleted in Redis. A crash before this point repeats the attempt.
//
// States of the worker's leases:
//
//   OWNED ──▶ DOUBTFUL ──▶ OWNED or LOST
//
//   DOUBTFUL   Redis did not answer a read, a lease was not renewed in time for whatever reason, Postgres did not
//              answer, or the process was paused: others may have claimed the held entries, and Redis may count entries
//              as this worker's whose read it never received. No attempt begins in doubt. The next read asks Redis for
//              the entries that it counts as this worker's, which renews them; it adopts the unknown ones.
//   LOST       Redis does not count a held entry as this worker's. It is dropped unless its attempt has begun.
import { RetryLoop } from '#ops/runtime/retry-loop.js';
import { type Instant, measureElapsedMs, takeInstant } from '#ops/runtime/elapsed.js';
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import type { DueDelivery } from '#store/postgres/webhooks/due-deliveries.js';
import { isTestDelivery } from '#store/postgres/webhooks/send-test-event.js';
import type { RedisClient } from '#store/redis/client.js';
import { DELIVERY_PARTITIONS } from '#store/redis/webhooks/delivery-partitions.js';
import {
  type EntryOutcome,
  formatPlace,
  type ReadyEntry,
} from '#store/redis/webhooks/ready-entries.js';
import {
  GroupLostError,
  readOwn,
  type ReadyReader,
  renewEntries,
} from '#store/redis/webhooks/ready-leases.js';
import {
  createAttemptRecorder,
  decideAfterAttempt,
  decideWithoutAttempt,
  type RecordEntry,
} from './attempt-recorder.js';
import { classifyOutcome, deliver, type DeliverDeps } from './deliver.js';
import { countAttempt, type DeliveryMetrics, observeBegin } from './delivery-metrics.js';
import type { EndpointCache, EndpointLookup } from './endpoint-cache.js';
import { HeldDeliveries, type HeldDelivery } from './held-deliveries.js';
import { type AttemptOutcome, HOLD_MS } from './lane.js';
import { EndpointLanes, type LanePlace } from './lanes.js';
import { DOUBT_AFTER_MS, LEASE_MS, PAUSED_MS, READ_BLOCK_MS, RENEW_EVERY_MS } from './lease.js';
import { createPauseNotes } from './pause-notes.js';
import type { DeliveryStore } from './ports.js';

const SLOTS = 2_048;
/** Between two looks for a free slot, and for the end of a doubt. */
const POLL_MS = 5;
/** When the process stops, attempts under way may take a lease, and their outcomes this much longer. */
const LAST_WRITES_MS = 5_000;

/** The partitions of deliveries that this process reads. */
export interface DeliveryShare {
  /** Empty when there are more processes than partitions. */
  readonly listDeliveryPartitions: () => readonly number[];
  /** The endpoint's deliveries are in one of them. */
  readonly ownsEndpoint: (endpointId: string) => boolean;
  /** Postgres does not answer this process, so that others must take over what it holds. */
  readonly isIdle: () => boolean;
}

interface DeliveryJob {
  readonly held: HeldDelivery;
  readonly delivery: DueDelivery;
  readonly loadedAtMs: number;
}

interface PlacedDelivery {
  readonly held: HeldDelivery;
  readonly place: LanePlace<DeliveryJob>;
}

export interface DeliveryWorkerOptions {
  readonly store: DeliveryStore;
  readonly redis: RedisClient;
  readonly consumer: string;
  readonly readReady: ReadyReader;
  readonly share: DeliveryShare;
  /** Makes up to `count` deliveries of the lane's list ready; resolves with how many are left in it. */
  readonly fetchDeferred: (endpointId: string, count: number) => Promise<number>;
  /** Called when deliveries of this worker wait for their time. */
  readonly onWaiting: () => void;
  /** Called when an attempt at the endpoint was recorded. */
  readonly onRecorded: (endpointId: string) => void;
  /** Called when the consumer group is missing. */
  readonly repairStreams: () => Promise<void>;
  readonly endpoints: EndpointCache;
  readonly delivering: DeliverDeps;
  readonly metrics: DeliveryMetrics;
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #clock: Clock;
  readonly #held = new HeldDeliveries();
  readonly #lanes: EndpointLanes<DeliveryJob>;
  readonly #loading: RetryLoop;
  readonly #giveUp = new AbortController();
  readonly #record: RecordEntry;
  #isDoubtful = false;
  /** When `tick` ran last. */
  #awakeAt: Instant;

  constructor(options: DeliveryWorkerOptions) {
    const { store, redis, consumer, onWaiting, onRecorded, clock, log } = options;
    this.#options = options;
    this.#clock = clock;
    this.#awakeAt = takeInstant(clock);
    this.#loading = new RetryLoop(log, 'loading deliveries', clock);
    this.#record = createAttemptRecorder({
      ...{ store, redis, consumer, onWaiting, onRecorded, clock, log },
      giveUp: this.#giveUp.signal,
      unrecorded: options.metrics.unrecorded,
      deadLetters: options.metrics.deadLetters,
      onFinished: (entry) => {
        this.#held.releaseEntry(entry);
      },
    });
    this.#lanes = new EndpointLanes<DeliveryJob>({
      slots: SLOTS,
      work: (job) => this.#attempt(job),
      defer: ({ held }, returnInMs) => {
        this.#finish(held, { entry: held.entry, step: 'deferred', returnInMs });
      },
      fetch: options.fetchDeferred,
      isPaused: () => this.#isInDoubt(),
      onPaused: createPauseNotes(options),
      monotonicMs: clock.monotonicMs,
    });
  }

  countOpenBreakers(): number {
    return this.#lanes.countOpenBreakers();
  }

  holdsAny(): boolean {
    return this.#held.size > 0;
  }

  /** The list of this endpoint's lane has deliveries. */
  noteDeferred(endpointId: string): void {
    if (!this.#options.stopping.aborted) this.#lanes.noteDeferred(endpointId);
  }

  /** Reads and accepts entries for the free slots; returns milliseconds until the next read. */
  async readRound(): Promise<number> {
    if (this.#isIdle()) return READ_BLOCK_MS;
    await this.take(() => this.#readEntries());
    return this.#hasRoom ? 0 : POLL_MS;
  }

  /** Detects pauses and leases that were not renewed, and sweeps the lanes. Must be called every 100 ms while it holds any. */
  tick(): void {
    this.#isInDoubt();
    const leasedAtMs = this.#held.findOldestLease() ?? Infinity;
    if (this.#clock.monotonicMs() - leasedAtMs > DOUBT_AFTER_MS) this.#isDoubtful = true;
    this.#awakeAt = takeInstant(this.#clock);
    if (this.#options.stopping.aborted) this.#lanes.release();
    else this.#lanes.sweep();
  }

  /** Renews leases that are older than RENEW_EVERY_MS, also of entries whose outcomes cannot be written yet. */
  async renewLeases(): Promise<void> {
    if (this.#isIdle()) return;
    const { redis, consumer } = this.#options;
    const nowMs = this.#clock.monotonicMs();
    const old = this.#held.list();
    for (const held of old.keys()) if (nowMs - held.leasedAtMs < RENEW_EVERY_MS) old.delete(held);
    if (old.size === 0) return;
    const lost = await renewEntries(redis, consumer, [...old.values()]);
    this.#renew(old, nowMs, (entry) => lost.has(formatPlace(entry)));
  }

  /** Returns deliveries that were not attempted yet, and resolves when none is held. No entry may be taken meanwhile. */
  async drain(): Promise<void> {
    const cancel = this.#clock.startTimer(LEASE_MS + LAST_WRITES_MS, () => {
      this.#giveUp.abort();
    });
    this.#lanes.release();
    while (this.#held.size > 0) await this.#clock.sleep(POLL_MS);
    cancel();
  }

  /** Holds the entries that `read` leases, and attempts or defers their deliveries; returns how many were read. */
  async take(read: () => Promise<readonly ReadyEntry[]>): Promise<number> {
    // The leases begin before the answer arrives, and at the earliest now.
    const leasedAtMs = this.#clock.monotonicMs();
    const entries = await read();
    const placed = this.#place(entries, leasedAtMs);
    if (placed.length > 0) await this.#begin(placed);
    return entries.length;
  }

  #place(entries: readonly ReadyEntry[], leasedAtMs: number): readonly PlacedDelivery[] {
    const placed: PlacedDelivery[] = [];
    for (const entry of entries) {
      const held = this.#held.hold(entry, leasedAtMs);
      if (held === 'attempted')
        void this.#record({ outcome: { entry, step: 'done' }, attempt: null });
      if (typeof held === 'string') continue;
      // The share has changed while the read waited: the lane has another process now.
      if (!this.#options.share.ownsEndpoint(entry.endpointId)) {
        this.#return(held);
        continue;
      }
      const place = this.#lanes.reserve(entry.endpointId, isTestDelivery(entry.deliveryId));
      if (typeof place === 'number') {
        this.#finish(held, { entry, step: 'deferred', returnInMs: place });
      } else {
        placed.push({ held, place });
      }
    }
    return placed;
  }

  async #begin(placed: readonly PlacedDelivery[]): Promise<void> {
    const { store, stopping, endpoints } = this.#options;
    const ids = placed.map(({ held }) => held.entry.deliveryId);
    // Endpoints are loaded at the same time as deliveries, so that attempts find them in the cache.
    for (const id of new Set(placed.map(({ held }) => held.entry.endpointId)))
      void endpoints.find(id);
    const loaded = await this.#loading.retry(stopping, () => store.loadDeliveries(ids));
    for (const { held, place } of placed) {
      const delivery = loaded?.get(held.entry.deliveryId);
      const outcome = decideWithoutAttempt(held.entry, delivery, loaded !== undefined);
      if (outcome === null && !held.isLost && delivery !== undefined) {
        this.#lanes.start(place, { held, delivery, loadedAtMs: this.#clock.monotonicMs() });
        continue;
      }
      this.#lanes.giveUp(place);
      if (outcome === null || held.isLost) this.#held.release(held);
      else this.#finish(held, outcome);
    }
  }

  async #attempt({ held, delivery, loadedAtMs }: DeliveryJob): Promise<AttemptOutcome> {
    const { delivering, metrics } = this.#options;
    const endpoint = await this.#findEndpoint(held.entry.endpointId);
    if (held.isLost) {
      this.#held.release(held);
      return 'unrelated';
    }
    if (endpoint === 'gone') {
      this.#finish(held, { entry: held.entry, step: 'done' });
      return 'inactive';
    }
    if (endpoint === 'unknown') return this.#return(held);
    if (endpoint.isHolding) {
      this.#finish(held, { entry: held.entry, step: 'deferred', returnInMs: HOLD_MS });
      return 'held';
    }
    observeBegin(metrics, delivery, this.#clock.monotonicMs() - loadedAtMs, held.entry.wasDeferred);
    // The process may be paused while it connects, and another worker may take over.
    const mayBegin = (): boolean => !held.isLost && !this.#isInDoubt();
    const attempt = await deliver(delivering, delivery, endpoint, mayBegin);
    if (attempt === null) return this.#return(held);
    countAttempt(metrics, attempt);
    held.outcome = 'attempted';
    await this.#record({ attempt, outcome: decideAfterAttempt(held.entry, attempt) });
    return classifyOutcome(attempt.failure);
  }

  /** Resolves at a moment without doubt; `unknown` when the process stops before. */
  async #findEndpoint(endpointId: string): Promise<EndpointLookup> {
    for (;;) {
      const endpoint = await this.#options.endpoints.find(endpointId);
      if (!this.#isInDoubt()) return endpoint;
      if (this.#options.stopping.aborted) return 'unknown';
      await this.#clock.sleep(POLL_MS);
    }
  }

  #return(held: HeldDelivery): 'unrelated' {
    return this.#finish(held, { entry: held.entry, step: 'returned', dueInMs: 0 });
  }

  /** Finishes an entry whose delivery was not attempted. */
  #finish(held: HeldDelivery, outcome: EntryOutcome): 'unrelated' {
    held.outcome = 'unattempted';
    void this.#record({ outcome, attempt: null });
    return 'unrelated';
  }

  get #hasRoom(): boolean {
    return SLOTS - this.#held.size >= DELIVERY_PARTITIONS;
  }

  async #readEntries(): Promise<ReadyEntry[]> {
    const { readReady, repairStreams, share } = this.#options;
    try {
      // The doubt is settled first: while it lasts no attempt begins, so no slot becomes free.
      const missed = this.#isInDoubt() ? await this.#settleDoubt() : [];
      if (missed.length > 0 || !this.#hasRoom) return missed;
      const partitions = share.listDeliveryPartitions();
      const count = Math.floor((SLOTS - this.#held.size) / Math.max(1, partitions.length));
      return await readReady({ partitions, count }, READ_BLOCK_MS);
    } catch (error) {
      this.#isDoubtful = true;
      if (!(error instanceof GroupLostError)) throw error;
      await repairStreams();
      return [];
    }
  }

  /** While the process is idle it renews no lease; it doubts them afterwards. */
  #isIdle(): boolean {
    const isIdle = this.#options.share.isIdle();
    if (isIdle) this.#isDoubtful = true;
    return isIdle;
  }

  #isInDoubt(): boolean {
    if (measureElapsedMs(this.#awakeAt, this.#clock) > PAUSED_MS) this.#isDoubtful = true;
    return this.#isDoubtful;
  }

  /** Returns the entries that Redis counts as this worker's and that it does not hold. */
  async #settleDoubt(): Promise<ReadyEntry[]> {
    const { redis, consumer } = this.#options;
    const askedAt = takeInstant(this.#clock);
    const asked = this.#held.list();
    const known = new Set([...asked.values()].map(({ deliveryId }) => deliveryId));
    const own = await readOwn(redis, consumer, SLOTS);
    // A reply that took too long settles nothing: the process may have been paused again.
    this.#isDoubtful = measureElapsedMs(askedAt, this.#clock) > RENEW_EVERY_MS;
    const places = new Set(own.map(formatPlace));
    this.#renew(asked, askedAt.monotonicMs, (entry) => !places.has(formatPlace(entry)));
    this.#lanes.sweep();
    // Deliveries that finished since the question are known, too.
    return own.filter(({ deliveryId }) => !known.has(deliveryId));
  }

  #renew(
    asked: ReadonlyMap<HeldDelivery, ReadyEntry>,
    leasedAtMs: number,
    isLost: (entry: ReadyEntry) => boolean,
  ): void {
    this.#held.renew(asked, leasedAtMs, isLost);
    for (const { held } of this.#lanes.drop((job) => job.held.isLost)) this.#held.release(held);
  }
}
