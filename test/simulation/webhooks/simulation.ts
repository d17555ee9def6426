// One installation of webhooks in the simulated world: its processes, their supervisor, and in place of the rest of the
// service what commits events and changes endpoints.
import { rotateSecret } from '#actors/core/webhooks/rotation.js';
import { makeWebhookSecret } from '#actors/core/webhooks/sign.js';
import { sealSecret } from '#ops/runtime/sealed-secrets.js';
import { LIVE_FOR_MS } from '#store/postgres/webhooks/endpoint-secrets.js';
import { Installation } from '../installation.js';
import { deriveDeliveryId } from '../postgres/outbox.js';
import type { EndpointRow, StoredEvent } from '../postgres/tables.js';
import type { Host } from '../world/sim-process.js';
import { LeaseAudit } from './lease-audit.js';
import {
  SECRETS_KEYS,
  startWebhooks,
  type WebhooksProcess,
  type WebhooksStage,
} from './process.js';
import { Receivers } from './receivers.js';
import {
  ENDPOINTS,
  PAYMENT_PARTITIONS,
  PROCESSES,
  type WebhookOperation,
  type WebhookScenario,
} from './scenario.js';

const TYPE = 'payment.paid';
const KEY_BYTES = 32;
/** Between two tries of somebody whose statement Postgres does not take. */
const REPEAT_MS = 250;
/** Frames of commits that Postgres has lost are still in Redis: a payments process applies them again before others. */
const RECOMMIT_MS = 1_500;

export interface FollowedEvent {
  readonly eventId: string;
  readonly envelope: string;
  readonly merchantId: string;
}

const nameEvent = ({ partition, position }: StoredEvent): string => `${partition} ${position.ms}`;

export class WebhooksSimulation extends Installation implements WebhooksStage {
  readonly receivers: Receivers;
  readonly audit: LeaseAudit;
  readonly processes: WebhooksProcess[] = [];
  readonly events = new Map<string, FollowedEvent>();
  /** Endpoints that were switched off or deleted at some time. */
  readonly changedEndpoints = new Set<string>();
  /** Operations that Postgres has not taken yet. */
  waiting = 0;
  /** Of the wake-ups and notifications. */
  lostWakes = 0.05;
  readonly #uncommitted: Omit<StoredEvent, 'position' | 'atMs'>[] = [];
  readonly #committed: StoredEvent[] = [];
  #replaysUntilMs = 0;
  #positions = 0;
  #secrets = 0;

  constructor(scenario: WebhookScenario, onTrace?: (line: string) => void) {
    super({ seed: scenario.seed, partitions: PAYMENT_PARTITIONS, onTrace });
    this.audit = new LeaseAudit(this, scenario);
    this.receivers = new Receivers({
      ...{ world: this.world, failingShare: scenario.failingShare },
      onBegin: (attempt) => {
        this.audit.noteBegin(attempt);
      },
    });
    for (const { id, merchantId } of ENDPOINTS) this.#addEndpoint(id, merchantId);
    this.startAll('webhooks', PROCESSES, (index, host) => {
      this.startProcess(index, host);
    });
  }

  /** Does nothing while the process of this number runs. */
  startProcess(index: number, host: Host): void {
    if (this.processes[index]?.process.isAlive === true) return;
    this.processes[index] = startWebhooks(this, this.createProcess(host));
  }

  perform(operation: WebhookOperation): void {
    if (operation.kind === 'event') this.#addEvent(operation);
    else this.#change(() => this.#apply(operation));
  }

  /** Postgres has lost its last commits. */
  recommitEvents(): void {
    this.#replaysUntilMs = this.world.nowMs + RECOMMIT_MS;
    this.#commitLater();
  }

  /** Repeats `work` while Postgres is away, as the rest of the service does. */
  #change(work: () => void): void {
    const { isDown, isReadOnly, tables } = this.postgres;
    if (!isDown && !isReadOnly) {
      tables.forgetOldChanges();
      tables.transact(work);
      return;
    }
    this.waiting += 1;
    this.world.schedule(REPEAT_MS, () => {
      this.waiting -= 1;
      this.#change(work);
    });
  }

  #apply(operation: Exclude<WebhookOperation, { kind: 'event' }>): void {
    switch (operation.kind) {
      case 'correct_envelopes':
        this.#correctEnvelopes();
        return;
      case 'test_event':
        this.#addTestEvent(operation.name, this.#findEndpoint(operation.endpoint));
        return;
      case 'rotate':
        this.#rotate(this.#findEndpoint(operation.endpoint), operation.overlapMs);
        return;
      case 'switch':
        this.#switch(this.#findEndpoint(operation.endpoint), operation.isActive);
        return;
      case 'delete':
        this.#switch({ ...this.#findEndpoint(operation.endpoint), secret: '' }, false);
        return;
      default:
        operation satisfies never;
    }
  }

  #addEvent({ name, merchantId, partition, isBroken }: EventOperation): void {
    const eventId = `evt_${name}`;
    const paymentId = `pay_${name}`;
    const data = { id: paymentId, status: 'paid', amount: '15000', currency: 'IDR' };
    const envelope = JSON.stringify({ id: eventId, type: TYPE, created_at: 'now', data });
    const stored = isBroken ? envelope.slice(1) : envelope;
    this.events.set(eventId, { eventId, envelope, merchantId });
    this.#uncommitted.push({
      ...{ partition, index: 0, paymentId, version: 2, type: 'settled', event: '{}', merchantId },
      ...{ environment: 'TEST', envelope: stored },
    });
    this.#commitEvents();
  }

  /** Events become visible in their order; first those that Postgres has lost. */
  #commitEvents(): void {
    const { isDown, isReadOnly, tables, nowMs } = this.postgres;
    if (isDown || isReadOnly || this.world.nowMs < this.#replaysUntilMs) {
      this.#commitLater();
      return;
    }
    tables.forgetOldChanges();
    for (const row of this.#uncommitted.splice(0)) {
      this.#positions += 1;
      const position = { ms: BigInt(this.#positions), seq: 0n };
      this.#committed.push({ ...row, position, atMs: nowMs });
    }
    const missing = this.#committed.filter((row) => !tables.events.has(nameEvent(row)));
    for (const row of missing) tables.events.set(nameEvent(row), row);
    const partitions = [...new Set(missing.map(({ partition }) => partition))];
    if (partitions.length === 0) return;
    this.#tell((process) => {
      process.wake(partitions);
    });
  }

  #commitLater(): void {
    this.waiting += 1;
    this.world.schedule(REPEAT_MS, () => {
      this.waiting -= 1;
      this.#commitEvents();
    });
  }

  #correctEnvelopes(): void {
    const { tables } = this.postgres;
    for (const [key, row] of tables.events.entries()) {
      const { envelope = null } = this.events.get(`evt_${row.paymentId.slice(4)}`) ?? {};
      if (envelope !== null && envelope !== row.envelope) {
        tables.events.set(key, { ...row, envelope });
      }
    }
  }

  #addTestEvent(name: string, endpoint: EndpointRow): void {
    if (!endpoint.isActive) return;
    const { tables, nowMs } = this.postgres;
    const eventId = `evt_${name}`;
    const id = deriveDeliveryId(eventId, endpoint.id);
    tables.deliveries.set(id, {
      ...{ id, eventId, endpointId: endpoint.id, paymentId: `pay_${name}`, version: 1 },
      ...{ body: `{"id":"${eventId}"}`, status: 'pending', attempts: 0, step: 0, reason: null },
      ...{ nextAttemptAtMs: nowMs, createdAtMs: nowMs, settledAtMs: null },
    });
    this.#tell((process) => {
      process.notify([{ id, endpointId: endpoint.id }]);
    });
  }

  #rotate(endpoint: EndpointRow, overlapMs: number): void {
    if (!endpoint.isActive) return;
    const { nowMs, tables } = this.postgres;
    const { secret, sealed } = this.#makeSecret(endpoint.id);
    const switchInMs = endpoint.switchAtMs === null ? null : endpoint.switchAtMs - nowMs;
    const rotated = rotateSecret({ ...endpoint, switchInMs }, { newSecret: sealed, overlapMs });
    if (rotated === 'rotation_overlaps') return;
    const switchAtMs = rotated.switchInMs === null ? null : nowMs + rotated.switchInMs;
    const { secret: current, nextSecret } = rotated;
    tables.endpoints.set(endpoint.id, { ...endpoint, secret: current, nextSecret, switchAtMs });
    const untilMs = overlapMs === 0 ? this.world.nowMs + LIVE_FOR_MS : Infinity;
    this.receivers.rotate(endpoint.id, secret, untilMs);
  }

  #switch(endpoint: EndpointRow, isActive: boolean): void {
    this.changedEndpoints.add(endpoint.id);
    const isDeleted = endpoint.secret === '';
    this.postgres.tables.endpoints.set(endpoint.id, {
      ...endpoint,
      isActive: isActive && !isDeleted,
    });
  }

  #tell(tellOne: (process: WebhooksProcess) => void): void {
    for (const one of this.processes) {
      if (this.world.chance.happens(this.lostWakes)) continue;
      one.process.schedule(this.world.pickLatencyMs(), () => {
        tellOne(one);
      });
    }
  }

  #addEndpoint(id: string, merchantId: string): void {
    const { secret, sealed } = this.#makeSecret(id);
    const url = this.receivers.add(id, secret);
    this.postgres.tables.endpoints.set(id, {
      ...{ id, merchantId, url, events: ['*'], isActive: true, secret: sealed },
      ...{ nextSecret: null, switchAtMs: null, createdAtMs: 0 },
    });
  }

  #findEndpoint(index: number): EndpointRow {
    const found = this.postgres.tables.endpoints.get(ENDPOINTS[index]?.id ?? '');
    if (found === undefined) throw new Error(`no endpoint ${index}`);
    return found;
  }

  #makeSecret(endpointId: string): { secret: string; sealed: string } {
    this.#secrets += 1;
    const secret = makeWebhookSecret(Buffer.alloc(KEY_BYTES, this.#secrets));
    return { secret, sealed: sealSecret(SECRETS_KEYS, endpointId, secret) };
  }
}

type EventOperation = Extract<WebhookOperation, { kind: 'event' }>;
