// The worker: takes entries from the ready streams as long as it has slots, gives each a place in its lane or
// parks it, loads what has a place in one query, and makes the attempts. A slot is taken from the read until the
// entry has ended, so everything that this process holds is bounded by SLOTS. A delivery is in hand once,
// whatever entries stand for it. Entries in hand for long have their lease renewed; one that turns out to be lost
// (Redis lost it, or another took it over) is not begun any more, since others will.
import type { AttemptRow } from '../../store/postgres/webhooks/record-attempts.js';
import type { DueDelivery } from '../../store/postgres/webhooks/due-deliveries.js';
import { DELIVERY_PARTITIONS } from '../../store/redis/webhooks/partitions.js';
import {
  type EntryEnd,
  GroupLostError,
  placeOf,
  type ReadyEntry,
} from '../../store/redis/webhooks/ready.js';
import type { Log } from '../../ops/runtime/log.js';
import { outcomeOf } from './deliver.js';
import type { LiveEndpoint, Looked } from './endpoint-book.js';
import { LEASE_MS, type Outcome } from './lanes/lane.js';
import { Lanes, type Place } from './lanes/lanes.js';
import { Outage, sleep } from '../../ops/runtime/outage.js';
import type { Ending } from './recorder.js';
import type { WebhookMetrics } from './webhook-metrics.js';

const SLOTS = 2_048;
/** Short, since the process stops between two reads. */
const BLOCK_MS = 500;
const FULL_MS = 5;
const SWEEP_MS = 100;
const RENEW_MS = LEASE_MS / 4;
/** What comes back from the due-list this little too early is attempted all the same. */
const EARLY_MS = 5;

interface Job {
  entry: ReadyEntry;
  delivery: DueDelivery;
  loadedAtMs: number;
}

interface InHand {
  readonly entry: ReadyEntry;
  /** Taken, or renewed. */
  leasedMs: number;
}

interface Placed {
  readonly entry: ReadyEntry;
  readonly place: Place<Job>;
}

export interface WorkerParts {
  stopping: AbortSignal;
  take: (count: number, blockMs: number) => Promise<ReadyEntry[]>;
  /** Answers the places of entries that are not this worker's any more. */
  renew: (entries: readonly ReadyEntry[]) => Promise<ReadonlySet<string>>;
  fetch: (endpointId: string, count: number) => Promise<number>;
  mend: () => Promise<unknown>;
  load: (ids: readonly string[]) => Promise<Map<string, DueDelivery>>;
  look: (endpointId: string) => Promise<Looked>;
  deliver: (delivery: DueDelivery, endpoint: LiveEndpoint) => Promise<AttemptRow>;
  end: (ending: Ending) => void;
  metrics: WebhookMetrics;
  log: Log;
}

export class Worker {
  readonly #parts: WorkerParts;
  readonly #inHand = new Map<string, InHand>();
  readonly #lanes: Lanes<Job>;
  readonly #loading: Outage;
  #running: Promise<void> = Promise.resolve();
  #renewing: NodeJS.Timeout | undefined;
  /** Redis was away, or has lost something: what is in hand may be others' by now. */
  #isDoubtful = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#loading = new Outage(parts.log, 'loading deliveries');
    this.#lanes = new Lanes<Job>({
      slots: SLOTS,
      work: (job) => this.#work(job),
      park: ({ entry }, returnAtMs) => {
        this.#end({ entry, step: 'parked', returnAtMs });
      },
      fetch: parts.fetch,
      isHeld: () => this.#isDoubtful,
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
    // It goes on while results of attempts wait to be written, also when the process stops.
    this.#renewing = setInterval(() => void this.#renew(), RENEW_MS);
    this.#running = this.#read();
    return this.#running;
  }

  async #read(): Promise<void> {
    const { stopping, log } = this.#parts;
    const outage = new Outage(log, 'reading deliveries');
    const sweeping = setInterval(() => {
      if (!stopping.aborted) this.#lanes.sweep();
    }, SWEEP_MS);
    while (!stopping.aborted) {
      const entries = await outage.persist(stopping, () => this.#take());
      await this.accept(entries ?? []);
    }
    clearInterval(sweeping);
  }

  /** Gives back what has not begun, and resolves when nothing is in hand any more. */
  async drain(): Promise<void> {
    await this.#running;
    this.#lanes.release();
    while (this.#inHand.size > 0) await sleep(FULL_MS);
    clearInterval(this.#renewing);
  }

  /** Takes entries in hand that are not yet; those that are finish as `twice` unless they are the same. */
  async accept(entries: readonly ReadyEntry[]): Promise<void> {
    const placed: Placed[] = [];
    for (const entry of entries) {
      if (!this.#hold(entry)) continue;
      const place = this.#lanes.reserve(entry.endpointId);
      if (typeof place === 'number') this.#end({ entry, step: 'parked', returnAtMs: place });
      else placed.push({ entry, place });
    }
    if (placed.length > 0) await this.#begin(placed);
  }

  #hold(entry: ReadyEntry): boolean {
    const known = this.#inHand.get(entry.deliveryId)?.entry;
    if (known === undefined) {
      this.#inHand.set(entry.deliveryId, { entry, leasedMs: Date.now() });
      return true;
    }
    if (known.entryId !== entry.entryId) this.#end({ entry, step: 'twice' });
    return false;
  }

  async #begin(placed: readonly Placed[]): Promise<void> {
    const { stopping, load, look } = this.#parts;
    const ids = placed.map(({ entry }) => entry.deliveryId);
    // Looked up beside the deliveries, so that it is known when they begin.
    for (const id of new Set(placed.map(({ entry }) => entry.endpointId))) void look(id);
    const loaded = await this.#loading.persist(stopping, () => load(ids));
    for (const { entry, place } of placed) {
      const delivery = loaded?.get(entry.deliveryId);
      const end = endUnattempted(entry, delivery, loaded !== undefined);
      if (end !== null || delivery === undefined) {
        this.#lanes.giveUp(place);
        this.#end(end ?? { entry, step: 'done' });
      } else {
        this.#lanes.start(place, { entry, delivery, loadedAtMs: Date.now() });
      }
    }
  }

  /** Call it when an entry has ended; its slot is free then. */
  onFinished(ending: Ending): void {
    const { entry } = ending.end;
    if (this.#inHand.get(entry.deliveryId)?.entry === entry) this.#inHand.delete(entry.deliveryId);
  }

  /** Keeps what is in hand from being taken over, also while its results cannot be written. */
  async #renew(): Promise<void> {
    const nowMs = Date.now();
    const old = [...this.#inHand.values()].filter(({ leasedMs }) => nowMs - leasedMs >= RENEW_MS);
    // Where Redis is away, nobody takes over either.
    await this.#renewAll(old).catch(() => null);
    for (const held of old) held.leasedMs = nowMs;
  }

  async #renewAll(all: readonly InHand[]): Promise<void> {
    if (all.length === 0) return;
    const lost = await this.#parts.renew(all.map(({ entry }) => entry));
    if (lost.size === 0) return;
    for (const { entry } of this.#lanes.drop((job) => lost.has(placeOf(job.entry)))) {
      if (this.#inHand.get(entry.deliveryId)?.entry === entry) {
        this.#inHand.delete(entry.deliveryId);
      }
    }
  }

  async #take(): Promise<ReadyEntry[]> {
    // First of all: as long as it is in doubt nothing begins, so no slot comes free.
    if (this.#isDoubtful) {
      await this.#renewAll([...this.#inHand.values()]);
      this.#isDoubtful = false;
      this.#lanes.sweep();
    }
    const free = this.freeSlots;
    if (free < DELIVERY_PARTITIONS) {
      await sleep(FULL_MS);
      return [];
    }
    try {
      return await this.#parts.take(Math.floor(free / DELIVERY_PARTITIONS), BLOCK_MS);
    } catch (error) {
      this.#isDoubtful = true;
      if (!(error instanceof GroupLostError)) throw error;
      await this.#parts.mend();
      return [];
    }
  }

  async #work({ entry, delivery, loadedAtMs }: Job): Promise<Outcome> {
    const { metrics, look } = this.#parts;
    const endpoint = await look(entry.endpointId);
    if (endpoint === 'gone') {
      this.#end({ entry, step: 'done' });
      return 'unrelated';
    }
    if (endpoint === 'unknown') {
      this.#end({ entry, step: 'later', dueAtMs: Date.now() });
      return 'unrelated';
    }
    metrics.onBegin(delivery, Date.now() - loadedAtMs, entry.wasParked);
    const attempt = await this.#parts.deliver(delivery, endpoint);
    metrics.onAttempt(attempt);
    this.#parts.end({ attempt, end: endOf(entry, attempt) });
    return outcomeOf(attempt.failure);
  }

  #end(end: EntryEnd): void {
    this.#parts.end({ end, attempt: null });
  }
}

/** How it ends without an attempt; null: it is to be attempted now. */
function endUnattempted(
  entry: ReadyEntry,
  delivery: DueDelivery | undefined,
  isLoaded: boolean,
): EntryEnd | null {
  // Stopping: whoever moves the due-list next has it at once.
  if (!isLoaded) return { entry, step: 'later', dueAtMs: Date.now() };
  if (delivery === undefined) return { entry, step: 'done' };
  if (delivery.dueInMs <= EARLY_MS) return null;
  return { entry, step: 'later', dueAtMs: Date.now() + delivery.dueInMs };
}

function endOf(entry: ReadyEntry, attempt: AttemptRow): EntryEnd {
  const { status, nextInMs, failure } = attempt;
  if (status === 'dead') return { entry, step: 'dead', reason: failure ?? '' };
  if (status === 'delivered') return { entry, step: 'done' };
  return { entry, step: 'later', dueAtMs: Date.now() + (nextInMs ?? 0) };
}
