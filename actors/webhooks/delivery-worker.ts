// The worker: takes entries from the ready streams as long as it has slots, gives each a place in its lane or
// parks it, loads what has a place in one query, and makes the attempts. A slot is taken from the read until the
// entry has ended, so everything that this process holds is bounded by SLOTS. Entries in hand for long have their
// lease renewed.
//
// It is in doubt when Redis was away or has lost something, and when the process was paused: what is in hand may be
// others' by now, and it may own entries that it never heard of. In doubt nothing goes out. The next read settles
// it: it asks Redis what it owns, forgets what it does not, and takes what it missed.
import type { AttemptRow } from '#store/postgres/webhooks/record-attempts.js';
import type { DueDelivery } from '#store/postgres/webhooks/due-deliveries.js';
import { DELIVERY_PARTITIONS } from '#store/redis/webhooks/delivery-partitions.js';
import {
  type EntryOutcome,
  GroupLostError,
  formatPlace,
  type ReadyEntry,
} from '#store/redis/webhooks/ready-entries.js';
import type { Log } from '#ops/runtime/log.js';
import { classifyOutcome } from './deliver.js';
import { decideAfterAttempt, decideWithoutAttempt } from './entry-outcome.js';
import type { LiveEndpoint, EndpointLookup } from './endpoint-cache.js';
import { type HeldDelivery, HeldDeliveries } from './held-deliveries.js';
import { LEASE_MS, MAX_WAIT_MS, type AttemptOutcome } from './lanes/lane.js';
import { EndpointLanes, type LanePlace } from './lanes/lanes.js';
import { RetryLoop, sleep } from '#ops/runtime/retry-loop.js';
import type { FinishedEntry } from './attempt-recorder.js';
import type { WebhookMetrics } from './webhook-metrics.js';

const SLOTS = 2_048;
/** Short, since the process stops between two reads. */
const BLOCK_MS = 500;
const FULL_MS = 5;
const SWEEP_MS = 100;
const RENEW_MS = LEASE_MS / 4;
/** The event loop stood still for so long: the process was paused, or as good as. */
const PAUSED_MS = 1_000;

if (PAUSED_MS + BLOCK_MS + MAX_WAIT_MS >= LEASE_MS) throw new Error('the lease is too short');

interface DeliveryJob {
  readonly held: HeldDelivery;
  readonly delivery: DueDelivery;
  readonly loadedAtMs: number;
}

interface PlacedDelivery {
  readonly held: HeldDelivery;
  readonly place: LanePlace<DeliveryJob>;
}

export interface DeliveryWorkerDeps {
  stopping: AbortSignal;
  read: (count: number, blockMs: number) => Promise<ReadyEntry[]>;
  /** All that this worker owns, by what Redis says. */
  readOwn: (count: number) => Promise<ReadyEntry[]>;
  /** Answers the places of entries that are not this worker's any more. */
  renew: (entries: readonly ReadyEntry[]) => Promise<ReadonlySet<string>>;
  fetch: (endpointId: string, count: number) => Promise<number>;
  repairStreams: () => Promise<unknown>;
  load: (ids: readonly string[]) => Promise<Map<string, DueDelivery>>;
  findEndpoint: (endpointId: string) => Promise<EndpointLookup>;
  /** Answers null when it may not begin any more by the time that it could. */
  deliver: (
    delivery: DueDelivery,
    endpoint: LiveEndpoint,
    mayBegin: () => boolean,
  ) => Promise<AttemptRow | null>;
  record: (ending: FinishedEntry) => void;
  metrics: WebhookMetrics;
  log: Log;
}

export class DeliveryWorker {
  readonly #parts: DeliveryWorkerDeps;
  readonly #inHand = new HeldDeliveries(Date.now);
  readonly #lanes: EndpointLanes<DeliveryJob>;
  readonly #loading: RetryLoop;
  #running: Promise<void> = Promise.resolve();
  #renewing: NodeJS.Timeout | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #isDoubtful = false;
  /** When the event loop was last seen to turn. */
  #awakeMs = Date.now();

  constructor(parts: DeliveryWorkerDeps) {
    this.#parts = parts;
    this.#loading = new RetryLoop(parts.log, 'loading deliveries');
    this.#lanes = new EndpointLanes<DeliveryJob>({
      slots: SLOTS,
      work: (job) => this.#work(job),
      defer: ({ held }, returnAtMs) => {
        this.#giveBack(held, { entry: held.entry, step: 'parked', returnAtMs });
      },
      fetch: parts.fetch,
      isPaused: () => this.#isInDoubt(),
      nowMs: Date.now,
    });
  }

  get freeSlots(): number {
    return SLOTS - this.#inHand.size;
  }

  countOpenBreakers(): number {
    return this.#lanes.countOpenBreakers();
  }

  /** There is more in the list of this endpoint's lane. */
  noteDeferred(endpointId: string): void {
    if (!this.#parts.stopping.aborted) this.#lanes.noteDeferred(endpointId);
  }

  /** Resolves when the process stops. */
  run(): Promise<void> {
    this.#awakeMs = Date.now();
    // They go on while results of attempts wait to be written, also when the process stops.
    this.#renewing = setInterval(() => void this.#renew(), RENEW_MS);
    this.#ticking = setInterval(() => {
      this.#tick();
    }, SWEEP_MS);
    this.#running = this.#read();
    return this.#running;
  }

  async #read(): Promise<void> {
    const { stopping, log } = this.#parts;
    const outage = new RetryLoop(log, 'reading deliveries');
    while (!stopping.aborted) {
      const entries = await outage.retry(stopping, () => this.#take());
      await this.accept(entries ?? []);
    }
  }

  #tick(): void {
    this.#isInDoubt();
    this.#awakeMs = Date.now();
    if (this.#parts.stopping.aborted) this.#lanes.release();
    else this.#lanes.sweep();
  }

  #isInDoubt(): boolean {
    if (Date.now() - this.#awakeMs > PAUSED_MS) this.#isDoubtful = true;
    return this.#isDoubtful;
  }

  /** Gives back what has not begun, and resolves when nothing is in hand any more. */
  async drain(): Promise<void> {
    await this.#running;
    this.#lanes.release();
    while (this.#inHand.size > 0) await sleep(FULL_MS);
    clearInterval(this.#renewing);
    clearInterval(this.#ticking);
  }

  /** Takes entries in hand that are not yet. */
  async accept(entries: readonly ReadyEntry[]): Promise<void> {
    const placed: PlacedDelivery[] = [];
    for (const entry of entries) {
      const held = this.#inHand.hold(entry);
      if (held === 'attempted')
        this.#parts.record({ outcome: { entry, step: 'done' }, attempt: null });
      if (typeof held === 'string') continue;
      const place = this.#lanes.reserve(entry.endpointId);
      if (typeof place === 'number') {
        this.#giveBack(held, { entry, step: 'parked', returnAtMs: place });
      } else {
        placed.push({ held, place });
      }
    }
    if (placed.length > 0) await this.#begin(placed);
  }

  async #begin(placed: readonly PlacedDelivery[]): Promise<void> {
    const { stopping, load, findEndpoint } = this.#parts;
    const ids = placed.map(({ held }) => held.entry.deliveryId);
    // Looked up beside the deliveries, so that it is known when they begin.
    for (const id of new Set(placed.map(({ held }) => held.entry.endpointId)))
      void findEndpoint(id);
    const loaded = await this.#loading.retry(stopping, () => load(ids));
    for (const { held, place } of placed) {
      const delivery = loaded?.get(held.entry.deliveryId);
      const end = held.isLost
        ? null
        : decideWithoutAttempt(held.entry, delivery, loaded !== undefined);
      if (end === null && !held.isLost && delivery !== undefined) {
        this.#lanes.start(place, { held, delivery, loadedAtMs: Date.now() });
        continue;
      }
      this.#lanes.giveUp(place);
      if (end === null) this.#inHand.release(held);
      else this.#giveBack(held, end);
    }
  }

  /** Call it when an entry has ended; its slot is free then. */
  onFinished({ outcome }: FinishedEntry): void {
    this.#inHand.releaseEntry(outcome.entry);
  }

  /** Keeps what is in hand from being taken over, also while its results cannot be written. */
  async #renew(): Promise<void> {
    const nowMs = Date.now();
    const old = this.#inHand.list();
    for (const held of old.keys()) if (nowMs - held.leasedMs < RENEW_MS) old.delete(held);
    if (old.size === 0) return;
    // Where Redis is away, nobody takes over either.
    const lost = await this.#parts.renew([...old.values()]).catch(() => null);
    for (const held of old.keys()) held.leasedMs = nowMs;
    if (lost !== null) this.#lose(old, (entry) => lost.has(formatPlace(entry)));
  }

  #lose(
    asked: ReadonlyMap<HeldDelivery, ReadyEntry>,
    isLost: (entry: ReadyEntry) => boolean,
  ): void {
    this.#inHand.markLost(asked, isLost);
    for (const { held } of this.#lanes.drop((job) => job.held.isLost)) this.#inHand.release(held);
  }

  async #take(): Promise<ReadyEntry[]> {
    try {
      // First of all: as long as it is in doubt nothing goes out, so no slot comes free.
      const missed = this.#isInDoubt() ? await this.#settleDoubt() : [];
      if (missed.length > 0) return missed;
      if (this.freeSlots >= DELIVERY_PARTITIONS) {
        return await this.#parts.read(Math.floor(this.freeSlots / DELIVERY_PARTITIONS), BLOCK_MS);
      }
      await sleep(FULL_MS);
    } catch (error) {
      this.#isDoubtful = true;
      if (!(error instanceof GroupLostError)) throw error;
      await this.#parts.repairStreams();
    }
    return [];
  }

  /** Answers what this worker owns and never heard of. */
  async #settleDoubt(): Promise<ReadyEntry[]> {
    const askedMs = Date.now();
    const asked = this.#inHand.list();
    const known = new Set([...asked.values()].map(({ deliveryId }) => deliveryId));
    const own = await this.#parts.readOwn(SLOTS);
    // An answer that is old by now (the process was paused again) settles nothing.
    this.#isDoubtful = Date.now() - askedMs > RENEW_MS;
    const places = new Set(own.map(formatPlace));
    this.#lose(asked, (entry) => !places.has(formatPlace(entry)));
    this.#lanes.sweep();
    // What ended meanwhile has been in hand, too.
    return own.filter(({ deliveryId }) => !known.has(deliveryId));
  }

  async #work({ held, delivery, loadedAtMs }: DeliveryJob): Promise<AttemptOutcome> {
    const { entry } = held;
    const endpoint = await this.#look(entry.endpointId);
    if (held.isLost) {
      this.#inHand.release(held);
      return 'unrelated';
    }
    if (typeof endpoint === 'string') {
      const isGone = endpoint === 'gone';
      this.#giveBack(
        held,
        isGone ? { entry, step: 'done' } : { entry, step: 'back', dueAtMs: Date.now() },
      );
      return 'unrelated';
    }
    this.#parts.metrics.onBegin(delivery, Date.now() - loadedAtMs, entry.wasDeferred);
    // While a connection is made the process may be paused, and others take over.
    const mayBegin = (): boolean => !held.isLost && !this.#isInDoubt();
    const attempt = await this.#parts.deliver(delivery, endpoint, mayBegin);
    if (attempt === null) {
      this.#giveBack(held, { entry: held.entry, step: 'back', dueAtMs: Date.now() });
      return 'unrelated';
    }
    this.#parts.metrics.onAttempt(attempt);
    held.outcome = 'attempted';
    this.#parts.record({ attempt, outcome: decideAfterAttempt(held.entry, attempt) });
    return classifyOutcome(attempt.failure);
  }

  /** The endpoint as it is at a moment at which there is no doubt; `unknown` when the process stops before. */
  async #look(endpointId: string): Promise<EndpointLookup> {
    for (;;) {
      const looked = await this.#parts.findEndpoint(endpointId);
      if (!this.#isInDoubt()) return looked;
      if (this.#parts.stopping.aborted) return 'unknown';
      await sleep(FULL_MS);
    }
  }

  #giveBack(held: HeldDelivery, end: EntryOutcome): void {
    held.outcome = 'given back';
    this.#parts.record({ outcome: end, attempt: null });
  }
}
