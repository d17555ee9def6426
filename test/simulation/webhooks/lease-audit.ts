// Judges each attempt at the moment when its first byte is sent: by what Redis and Postgres hold then, which no process can
// know. An attempt may be repeated after a fault, never without one, and it begins only while its process has the lease on
// its delivery.
import { buildReadyKey } from '#store/redis/keys.js';
import { findDeliveryPartition, GROUP } from '#store/redis/webhooks/delivery-partitions.js';
import { deriveDeliveryId } from '../postgres/outbox.js';
import type { PostgresServer } from '../postgres/server.js';
import type { RedisNetwork } from '../redis/network.js';
import type { FollowedAttempt } from './receivers.js';
import type { WebhookFaultKind, WebhookScenario } from './scenario.js';

/** After them Redis does not know all leases, or measures them wrongly. */
const LOSES_LEASES: ReadonlySet<WebhookFaultKind> = new Set([
  ...(['redis_lost_tail', 'redis_flushed', 'redis_failed_over', 'redis_clock_wrong'] as const),
]);
/** After them due times are of another clock or go back, or a process repeats an attempt that it loaded before. */
const MOVES_TIME: ReadonlySet<WebhookFaultKind> = new Set([
  ...(['postgres_clock_wrong', 'postgres_lost_tail'] as const),
  ...(['redis_lost_tail', 'redis_flushed', 'redis_failed_over'] as const),
]);
/** The service's own tolerance and the latency of one read. */
const EARLY_MS = 100;

export interface AuditedStores {
  readonly redis: RedisNetwork;
  readonly postgres: PostgresServer;
  /** The faults that last. */
  readonly activeFaults: ReadonlyMap<number, string>;
}

export class LeaseAudit {
  readonly faults: string[] = [];
  /** Attempts of each delivery. */
  readonly begun = new Map<string, number>();
  /** `attempt-<number> <state of the receiver> <fault>`, and how often. */
  readonly cells = new Map<string, number>();
  readonly #stores: AuditedStores;
  readonly #keepsLeases: boolean;
  readonly #keepsTime: boolean;

  constructor(stores: AuditedStores, { faults }: WebhookScenario) {
    this.#stores = stores;
    this.#keepsLeases = !faults.some(({ kind }) => LOSES_LEASES.has(kind));
    this.#keepsTime = !faults.some(({ kind }) => MOVES_TIME.has(kind));
  }

  noteBegin({ process, endpointId, eventId, mood }: FollowedAttempt): void {
    const deliveryId = deriveDeliveryId(eventId, endpointId);
    this.begun.set(deliveryId, (this.begun.get(deliveryId) ?? 0) + 1);
    const holder = this.#findHolder(endpointId, deliveryId);
    if (this.#keepsLeases && holder !== process) {
      const who = holder ?? 'nobody';
      this.faults.push(`${process} attempts ${deliveryId} of ${endpointId}, which ${who} holds`);
    }
    const { tables, nowMs } = this.#stores.postgres;
    const row = tables.deliveries.get(deliveryId);
    this.#noteCells(`attempt-${(row?.attempts ?? 0) + 1} ${mood ?? 'receiver_well'}`);
    const isEarly = row?.status === 'pending' && row.nextAttemptAtMs > nowMs + EARLY_MS;
    // A repeated attempt is early by nature; the number of repeats is checked at the end.
    const isNew = (this.begun.get(deliveryId) ?? 0) <= (row?.attempts ?? 0) + 1;
    if (this.#keepsTime && isEarly && isNew) {
      this.faults.push(`${process} attempts ${deliveryId} of ${endpointId} before it is due`);
    }
  }

  #noteCells(what: string): void {
    const faults = [...this.#stores.activeFaults.values()];
    for (const fault of faults.length > 0 ? faults : ['no fault']) {
      const cell = `${what} ${fault}`;
      this.cells.set(cell, (this.cells.get(cell) ?? 0) + 1);
    }
  }

  /** The consumer that has the lease on the delivery's entry. */
  #findHolder(endpointId: string, deliveryId: string): string | undefined {
    const { keys } = this.#stores.redis.master.queues;
    const stream = keys.read('stream', buildReadyKey(findDeliveryPartition(endpointId)));
    const entry = stream?.entries.find(({ fields }) => fields[1] === `${endpointId} ${deliveryId}`);
    const pending = stream?.groups.get(GROUP)?.pending;
    return pending?.find((one) => one.entry.id === entry?.id)?.consumer;
  }
}
