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
import { DELIVERY_PARTITIONS } from '#store/redis/webhooks/partitions.js';
import {
  type EntryEnd,
  GroupLostError,
  placeOf,
  type ReadyEntry,
} from '#store/redis/webhooks/ready.js';
import type { Log } from '#ops/runtime/log.js';
import { outcomeOf } from './deliver.js';
import { endOf, endUnattempted } from './ends.js';
import type { LiveEndpoint, Looked } from './endpoint-cache.js';
import { type Held, InHand } from './in-hand.js';
import { LEASE_MS, MAX_WAIT_MS, type Outcome } from './lanes/lane.js';
import { Lanes, type Place } from './lanes/lanes.js';
import { Outage, sleep } from '#ops/runtime/retry-loop.js';
import type { Ending } from './recorder.js';
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

interface Job {
  readonly held: Held;
  readonly delivery: DueDelivery;
  readonly loadedAtMs: number;
}

interface Placed {
  readonly held: Held;
  readonly place: Place<Job>;
}

export interface WorkerParts {
  stopping: AbortSignal;
  take: (count: number, blockMs: number) => Promise<ReadyEntry[]>;
  /** All that this worker owns, by what Redis says. */
  takeOwn: (count: number) => Promise<ReadyEntry[]>;
  /** Answers the places of entries that are not this worker's any more. */
  renew: (entries: readonly ReadyEntry[]) => Promise<ReadonlySet<string>>;
  fetch: (endpointId: string, count: number) => Promise<number>;
  mend: () => Promise<unknown>;
  load: (ids: readonly string[]) => Promise<Map<string, DueDelivery>>;
  look: (endpointId: string) => Promise<Looked>;
  /** Answers null when it may not begin any more by the time that it could. */
  deliver: (
    delivery: DueDelivery,
    endpoint: LiveEndpoint,
    mayBegin: () => boolean,
  ) => Promise<AttemptRow | null>;
  end: (ending: Ending) => void;
  metrics: WebhookMetrics;
  log: Log;
}

export class Worker {
  readonly #parts: WorkerParts;
  readonly #inHand = new InHand(Date.now);
  readonly #lanes: Lanes<Job>;
  readonly #loading: Outage;
  #running: Promise<void> = Promise.resolve();
  #renewing: NodeJS.Timeout | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #isDoubtful = false;
  /** When the event loop was last seen to turn. */
  #awakeMs = Date.now();

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#loading = new Outage(parts.log, 'loading deliveries');
    this.#lanes = new Lanes<Job>({
      slots: SLOTS,
      work: (job) => this.#work(job),
      park: ({ held }, returnAtMs) => {
        this.#giveBack(held, { entry: held.entry, step: 'parked', returnAtMs });
      },
      fetch: parts.fetch,
      isHeld: () => this.#isInDoubt(),
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
  noticeParked(endpointId: string): void {
    if (!this.#parts.stopping.aborted) this.#lanes.noticeParked(endpointId);
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
    const outage = new Outage(log, 'reading deliveries');
    while (!stopping.aborted) {
      const entries = await outage.persist(stopping, () => this.#take());
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
    const placed: Placed[] = [];
    for (const entry of entries) {
      const held = this.#inHand.hold(entry);
      if (held === 'attempted') this.#parts.end({ end: { entry, step: 'done' }, attempt: null });
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

  async #begin(placed: readonly Placed[]): Promise<void> {
    const { stopping, load, look } = this.#parts;
    const ids = placed.map(({ held }) => held.entry.deliveryId);
    // Looked up beside the deliveries, so that it is known when they begin.
    for (const id of new Set(placed.map(({ held }) => held.entry.endpointId))) void look(id);
    const loaded = await this.#loading.persist(stopping, () => load(ids));
    for (const { held, place } of placed) {
      const delivery = loaded?.get(held.entry.deliveryId);
      const end = held.isLost ? null : endUnattempted(held.entry, delivery, loaded !== undefined);
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
  onFinished({ end }: Ending): void {
    this.#inHand.releaseEntry(end.entry);
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
    if (lost !== null) this.#lose(old, (entry) => lost.has(placeOf(entry)));
  }

  #lose(asked: ReadonlyMap<Held, ReadyEntry>, isLost: (entry: ReadyEntry) => boolean): void {
    this.#inHand.lose(asked, isLost);
    for (const { held } of this.#lanes.drop((job) => job.held.isLost)) this.#inHand.release(held);
  }

  async #take(): Promise<ReadyEntry[]> {
    try {
      // First of all: as long as it is in doubt nothing goes out, so no slot comes free.
      const missed = this.#isInDoubt() ? await this.#settleDoubt() : [];
      if (missed.length > 0) return missed;
      if (this.freeSlots >= DELIVERY_PARTITIONS) {
        return await this.#parts.take(Math.floor(this.freeSlots / DELIVERY_PARTITIONS), BLOCK_MS);
      }
      await sleep(FULL_MS);
    } catch (error) {
      this.#isDoubtful = true;
      if (!(error instanceof GroupLostError)) throw error;
      await this.#parts.mend();
    }
    return [];
  }

  /** Answers what this worker owns and never heard of. */
  async #settleDoubt(): Promise<ReadyEntry[]> {
    const askedMs = Date.now();
    const asked = this.#inHand.list();
    const known = new Set([...asked.values()].map(({ deliveryId }) => deliveryId));
    const own = await this.#parts.takeOwn(SLOTS);
    // An answer that is old by now (the process was paused again) settles nothing.
    this.#isDoubtful = Date.now() - askedMs > RENEW_MS;
    const places = new Set(own.map(placeOf));
    this.#lose(asked, (entry) => !places.has(placeOf(entry)));
    this.#lanes.sweep();
    // What ended meanwhile has been in hand, too.
    return own.filter(({ deliveryId }) => !known.has(deliveryId));
  }

  async #work({ held, delivery, loadedAtMs }: Job): Promise<Outcome> {
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
    this.#parts.metrics.onBegin(delivery, Date.now() - loadedAtMs, entry.wasParked);
    // While a connection is made the process may be paused, and others take over.
    const mayBegin = (): boolean => !held.isLost && !this.#isInDoubt();
    const attempt = await this.#parts.deliver(delivery, endpoint, mayBegin);
    if (attempt === null) {
      this.#giveBack(held, { entry: held.entry, step: 'back', dueAtMs: Date.now() });
      return 'unrelated';
    }
    this.#parts.metrics.onAttempt(attempt);
    held.ending = 'attempted';
    this.#parts.end({ attempt, end: endOf(held.entry, attempt) });
    return outcomeOf(attempt.failure);
  }

  /** The endpoint as it is at a moment at which there is no doubt; `unknown` when the process stops before. */
  async #look(endpointId: string): Promise<Looked> {
    for (;;) {
      const looked = await this.#parts.look(endpointId);
      if (!this.#isInDoubt()) return looked;
      if (this.#parts.stopping.aborted) return 'unknown';
      await sleep(FULL_MS);
    }
  }

  #giveBack(held: Held, end: EntryEnd): void {
    held.ending = 'given back';
    this.#parts.end({ end, attempt: null });
  }
}
