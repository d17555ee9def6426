// The reconciler makes Redis hold the deliveries that Postgres says are due, as far as the queues have room. Each round,
// each process repairs what Redis lost of its partitions, and claims their entries whose lease ran out. One process leads
// the round; it also enqueues overdue deliveries that are missing in Redis (the script skips the others), by two walks in
// the order of their due times:
//
//   short walk   the deliveries that became due within RECENT_MS by the clock of Postgres, each round: finds replays,
//                and retries that a full due-list has dropped, at once
//   long walk    all overdue deliveries: at once after a loss, else from time to time, because the backlog of a dead
//                endpoint may be long. It continues in the next round after MAX_PAGES.
import type { Log } from '#ops/runtime/log.js';
import { type DuePlace, FIRST_PLACE } from '#store/postgres/webhooks/due-deliveries.js';
import type { RedisClient } from '#store/redis/client.js';
import {
  dropConsumers,
  leadReconciling,
  repairDeliveries,
} from '#store/redis/webhooks/delivery-partitions.js';
import { countQueued } from '#store/redis/webhooks/due-list.js';
import { enqueueDeliveries } from '#store/redis/webhooks/ready-entries.js';
import { claimStale } from '#store/redis/webhooks/ready-leases.js';
import { type DeliveryMetrics, setQueued } from './delivery-metrics.js';
import type { DeliveryWorker } from './delivery-worker.js';
import { LEASE_MS, RECONCILER_LEASE_MS } from './lease.js';
import type { DeliveryStore } from './ports.js';

const PAGE = 1_000;
const MAX_PAGES = 20;
/** Claims in one round; each takes up to MAX_CLAIMED entries of every partition. */
const MAX_CLAIMS = 8;
const MAX_CLAIMED = 32;
const MAX_RESUMED = 256;
const COUNT_EVERY_ROUNDS = 5;
const DROP_EVERY_ROUNDS = 60;
const ENDPOINTS_EVERY_ROUNDS = 10;
/** Between two long walks; after a longer walk, one round for each of its pages. */
const MIN_REST_ROUNDS = 5;
const RECENT_MS = 10_000;
const SILENT_CONSUMER_MS = 60_000;

interface WalkResult {
  /** Where the walk continues; null: it reached the end. */
  readonly position: DuePlace | null;
  readonly pages: number;
  readonly refilled: number;
}

export interface DeliveryReconcilerOptions {
  readonly store: DeliveryStore;
  readonly redis: RedisClient;
  readonly consumer: string;
  /** The delivery partitions that this process reads. */
  readonly listPartitions: () => readonly number[];
  readonly worker: DeliveryWorker;
  readonly metrics: DeliveryMetrics;
  readonly log: Log;
}

export class DeliveryReconciler {
  readonly #options: DeliveryReconcilerOptions;
  #position = FIRST_PLACE;
  /** Of the long walk under way. */
  #pages = 0;
  #restRounds = 0;
  #hasLoss = true;
  #rounds = 0;
  #ledRounds = 0;

  constructor(options: DeliveryReconcilerOptions) {
    this.#options = options;
  }

  async runRound(): Promise<void> {
    const { store, redis, consumer, metrics, log } = this.#options;
    await this.repairStreams();
    await this.#claimStale();
    if (await leadReconciling(redis, consumer, RECONCILER_LEASE_MS)) {
      await this.#refill();
      this.#ledRounds += 1;
      if (this.#ledRounds % ENDPOINTS_EVERY_ROUNDS === 0) {
        await updateFailingEndpoints(store, metrics, log);
        await this.#resumeQuarantined();
      }
    }
    if (this.#rounds % COUNT_EVERY_ROUNDS === 0) {
      setQueued(metrics, await countQueued(redis));
    }
    this.#rounds += 1;
    if (this.#rounds % DROP_EVERY_ROUNDS === 0) await dropConsumers(redis, SILENT_CONSUMER_MS);
  }

  /** Creates or repairs the streams; after a repair the next round that this process leads begins a long walk. */
  async repairStreams(): Promise<void> {
    const { redis, listPartitions, metrics, log } = this.#options;
    const partitions = await repairDeliveries(redis, listPartitions());
    if (partitions === 0) return;
    this.#hasLoss = true;
    metrics.repairs.inc(partitions);
    log.info({ partitions }, 'delivery streams were created or repaired');
  }

  async #claimStale(): Promise<void> {
    const { redis, consumer, listPartitions, worker } = this.#options;
    for (let claims = 0; claims < MAX_CLAIMS; claims += 1) {
      const range = { partitions: listPartitions(), count: MAX_CLAIMED };
      const claimed = await worker.take(() => claimStale(redis, consumer, LEASE_MS, range));
      if (claimed === 0) return;
    }
  }

  async #resumeQuarantined(): Promise<void> {
    const { store, redis, log } = this.#options;
    const { events, deliveries } = await store.resumeQuarantined(MAX_RESUMED);
    if (events > 0) log.info({ events }, 'quarantined events were repaired and fanned out');
    await enqueueDeliveries(redis, deliveries);
  }

  async #refill(): Promise<void> {
    const { metrics, log } = this.#options;
    if (this.#hasLoss) {
      this.#position = FIRST_PLACE;
      this.#restRounds = 0;
      this.#hasLoss = false;
    }
    let { refilled } = await this.#walk(FIRST_PLACE, RECENT_MS);
    this.#restRounds -= 1;
    if (this.#restRounds < 0) refilled += await this.#continueLongWalk();
    if (refilled === 0) return;
    metrics.refilled.inc(refilled);
    log.info(
      { deliveries: refilled },
      'overdue deliveries that were missing in Redis were enqueued',
    );
  }

  async #continueLongWalk(): Promise<number> {
    const { position, pages, refilled } = await this.#walk(this.#position, null);
    this.#position = position ?? FIRST_PLACE;
    this.#pages += pages;
    if (position === null) {
      this.#restRounds = Math.max(MIN_REST_ROUNDS, this.#pages);
      this.#pages = 0;
    }
    return refilled;
  }

  /** `withinMs` null: also what became due longer ago. */
  async #walk(from: DuePlace, withinMs: number | null): Promise<WalkResult> {
    const { store, redis } = this.#options;
    let position = from;
    let refilled = 0;
    for (let pages = 1; pages <= MAX_PAGES; pages += 1) {
      const overdue = await store.findOverdue({ after: position, withinMs }, PAGE);
      refilled += await enqueueDeliveries(redis, overdue);
      const last = overdue.at(-1);
      if (last === undefined || overdue.length < PAGE) return { position: null, pages, refilled };
      position = { at: last.at, id: last.id };
    }
    return { position, pages: MAX_PAGES, refilled };
  }
}

/** Flags endpoints that have only failed for an hour, and disables them after five days. */
export async function updateFailingEndpoints(
  store: Pick<DeliveryStore, 'flagFailing' | 'disableFailing'>,
  { disabledEndpoints }: Pick<DeliveryMetrics, 'disabledEndpoints'>,
  log: Log,
): Promise<void> {
  for (const endpointId of await store.flagFailing()) {
    log.warn({ endpointId }, 'every attempt at this endpoint has failed for an hour');
  }
  const disabled = await store.disableFailing();
  for (const endpointId of disabled) {
    log.warn({ endpointId }, 'endpoint disabled: every attempt has failed for five days');
  }
  disabledEndpoints.inc(disabled.length);
}
