// The worker: takes entries from the ready streams as long as it has slots, loads their deliveries in one
// query, and hands them to their lanes. A slot is taken from the read until the entry has ended, so everything
// that this process holds is bounded by SLOTS. A delivery is in hand once, whatever entries stand for it.
import type { AttemptRow } from '../../store/postgres/webhooks/record-attempts.js';
import type { DueDelivery } from '../../store/postgres/webhooks/due-deliveries.js';
import {
  DELIVERY_PARTITIONS,
  type EntryEnd,
  GroupLostError,
  type ReadyEntry,
} from '../../store/redis/deliveries.js';
import type { Log } from '../../ops/runtime/log.js';
import { Lanes } from './lanes.js';
import { Outage, sleep } from './outage.js';
import type { Ending } from './recorder.js';
import type { WebhookMetrics } from './webhook-metrics.js';

const SLOTS = 1_024;
/** Short, since the process stops between two reads. */
const BLOCK_MS = 500;
const FULL_MS = 5;
const SWEEP_MS = 250;
/** What comes back from the due-list this little too early is attempted all the same. */
const EARLY_MS = 5;

interface Job {
  entry: ReadyEntry;
  delivery: DueDelivery;
  loadedAtMs: number;
}

export interface WorkerParts {
  stopping: AbortSignal;
  take: (count: number, blockMs: number) => Promise<ReadyEntry[]>;
  mend: () => Promise<unknown>;
  load: (ids: readonly string[]) => Promise<Map<string, DueDelivery>>;
  deliver: (delivery: DueDelivery) => Promise<AttemptRow>;
  end: (ending: Ending) => void;
  metrics: WebhookMetrics;
  log: Log;
}

export class Worker {
  readonly #parts: WorkerParts;
  readonly #inHand = new Map<string, ReadyEntry>();
  readonly #lanes: Lanes<Job>;
  readonly #loading: Outage;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#loading = new Outage(parts.log, 'loading deliveries');
    this.#lanes = new Lanes<Job>({
      work: (job) => this.#work(job),
      park: ({ entry }, dueAtMs) => {
        this.#end({ entry, step: 'later', dueAtMs });
      },
      nowMs: Date.now,
    });
  }

  get freeSlots(): number {
    return SLOTS - this.#inHand.size;
  }

  /** Resolves when the process stops. */
  run(): Promise<void> {
    this.#running = this.#read();
    return this.#running;
  }

  async #read(): Promise<void> {
    const { stopping, log } = this.#parts;
    const outage = new Outage(log, 'reading deliveries');
    const sweeping = setInterval(() => {
      this.#lanes.sweep();
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
  }

  /** Takes entries in hand that are not yet; those that are finish as `twice` unless they are the same. */
  async accept(entries: readonly ReadyEntry[]): Promise<void> {
    const fresh: ReadyEntry[] = [];
    for (const entry of entries) {
      const known = this.#inHand.get(entry.deliveryId);
      if (known === undefined) {
        this.#inHand.set(entry.deliveryId, entry);
        fresh.push(entry);
      } else if (known.entryId !== entry.entryId) {
        this.#parts.end({ end: { entry, step: 'twice' }, attempt: null });
      }
    }
    if (fresh.length === 0) return;
    const ids = fresh.map(({ deliveryId }) => deliveryId);
    const { stopping, load } = this.#parts;
    const loaded = await this.#loading.persist(stopping, () => load(ids));
    if (loaded === undefined) {
      // Stopping: whoever moves the due-list next has them at once.
      for (const entry of fresh) this.#end({ entry, step: 'later', dueAtMs: Date.now() });
      return;
    }
    for (const entry of fresh) this.#begin(entry, loaded.get(entry.deliveryId));
  }

  /** Call it when an entry has ended; its slot is free then. */
  onFinished(ending: Ending): void {
    const { entry } = ending.end;
    if (this.#inHand.get(entry.deliveryId) === entry) this.#inHand.delete(entry.deliveryId);
  }

  async #take(): Promise<ReadyEntry[]> {
    const free = this.freeSlots;
    if (free < DELIVERY_PARTITIONS) {
      await sleep(FULL_MS);
      return [];
    }
    try {
      return await this.#parts.take(Math.floor(free / DELIVERY_PARTITIONS), BLOCK_MS);
    } catch (error) {
      if (!(error instanceof GroupLostError)) throw error;
      await this.#parts.mend();
      return [];
    }
  }

  #begin(entry: ReadyEntry, delivery: DueDelivery | undefined): void {
    if (delivery === undefined) {
      this.#end({ entry, step: 'done' });
    } else if (delivery.dueInMs > EARLY_MS) {
      this.#end({ entry, step: 'later', dueAtMs: Date.now() + delivery.dueInMs });
    } else {
      const job = { entry, delivery, loadedAtMs: Date.now() };
      this.#lanes.offer(delivery.endpointId, job);
    }
  }

  async #work({ entry, delivery, loadedAtMs }: Job): Promise<void> {
    const { metrics } = this.#parts;
    metrics.onBegin(delivery, Date.now() - loadedAtMs);
    const attempt = await this.#parts.deliver(delivery);
    metrics.onAttempt(attempt);
    this.#parts.end({ attempt, end: endOf(entry, attempt) });
  }

  #end(end: EntryEnd): void {
    this.#parts.end({ end, attempt: null });
  }
}

function endOf(entry: ReadyEntry, attempt: AttemptRow): EntryEnd {
  const { status, nextInMs, failure } = attempt;
  if (status === 'dead') return { entry, step: 'dead', reason: failure ?? '' };
  if (status === 'delivered') return { entry, step: 'done' };
  return { entry, step: 'later', dueAtMs: Date.now() + (nextInMs ?? 0) };
}
