// The outbox in the model of Postgres: what the statements of store/postgres/webhooks/fan-out.ts do.
import { createHash } from 'node:crypto';
import { STAR_TYPES } from '#actors/core/schemas/event.js';
import { comparePositions } from '#actors/core/partition.js';
import type { FannedOut, NewDelivery } from '#store/postgres/webhooks/fan-out.js';
import type { DatedTables, DeliveryRow, StoredEvent, Tables } from './tables.js';

const EVENTS_PER_PARTITION = 256;
const CREATED_TOLERANCE_MS = 60_000;

/** As the SQL function read_envelope. */
const ENVELOPE = /^\{"id":"(evt_[0-9a-z]+)","type":"([a-z]+\.[a-z]+)","created_at":"/;

/** As the statements of the fan-out derive it. */
export const deriveDeliveryId = (eventId: string, endpointId: string): string =>
  `del_${createHash('sha256').update(`${eventId} ${endpointId}`).digest('hex').slice(0, 32)}`;

function readEnvelope(envelope: string): { eventId: string; name: string } | undefined {
  const [, eventId, name] = ENVELOPE.exec(envelope) ?? [];
  if (eventId === undefined || name === undefined) return undefined;
  try {
    JSON.parse(envelope);
    return { eventId, name };
  } catch {
    return undefined;
  }
}

/** The event whose envelope the delivery sends. */
export const findEvent = (tables: Tables, row: DeliveryRow): StoredEvent | undefined =>
  tables.events
    .values()
    .filter(({ envelope }) => envelope !== null)
    .find(({ paymentId, version }) => paymentId === row.paymentId && version === row.version);

type Place = Pick<StoredEvent, 'position' | 'index'>;
const isAfter = (one: Place, other: Place): boolean => {
  const order = comparePositions(one.position, other.position);
  return order === 0 ? one.index > other.index : order > 0;
};

const listUnpublished = (tables: Tables, partition: number): StoredEvent[] => {
  const cursor = tables.cursors.get(partition);
  if (cursor === undefined) return [];
  return tables.events
    .values()
    .filter((event) => event.partition === partition && event.envelope !== null)
    .filter((event) => isAfter(event, cursor))
    .sort((one, other) => (isAfter(one, other) ? 1 : -1));
};

export const countUnpublished = (tables: Tables): number =>
  tables.cursors
    .entries()
    .reduce((sum, [partition]) => sum + listUnpublished(tables, partition).length, 0);

/** Moves the cursors of these partitions over new events, and makes their deliveries. */
export function fanOut(server: DatedTables, partitions: readonly number[]): FannedOut {
  const { tables } = server;
  const batch = partitions.flatMap((partition) => {
    const events = listUnpublished(tables, partition).slice(0, EVENTS_PER_PARTITION);
    const last = events.at(-1);
    if (last !== undefined) {
      tables.cursors.set(partition, { position: last.position, index: last.index });
    }
    return events;
  });
  const unreadable = batch.filter(({ envelope }) => readEnvelope(envelope ?? '') === undefined);
  const quarantined = unreadable.map(({ paymentId, version }) => `${paymentId} ${version}`);
  for (const event of quarantined) tables.quarantinedEvents.set(event, true);
  const deliveries = batch.flatMap((event) => insertDeliveries(server, event));
  return { events: batch.length, deliveries, quarantined };
}

/** Fans out quarantined events whose envelopes can be read now. */
export function resumeQuarantined(server: DatedTables, limit: number): FannedOut {
  const { tables } = server;
  const resumed = tables.events
    .values()
    .filter(({ paymentId, version }) => tables.quarantinedEvents.has(`${paymentId} ${version}`))
    .filter(({ envelope }) => readEnvelope(envelope ?? '') !== undefined)
    .slice(0, limit);
  for (const { paymentId, version } of resumed) {
    tables.quarantinedEvents.delete(`${paymentId} ${version}`);
  }
  const deliveries = resumed.flatMap((event) => insertDeliveries(server, event));
  return { events: resumed.length, deliveries, quarantined: [] };
}

function insertDeliveries({ tables, nowMs }: DatedTables, event: StoredEvent): NewDelivery[] {
  const read = readEnvelope(event.envelope ?? '');
  if (read === undefined) return [];
  const { paymentId, version, atMs } = event;
  const stars: readonly string[] = STAR_TYPES;
  return tables.endpoints
    .values()
    .filter(
      ({ merchantId, isActive, events, createdAtMs }) =>
        merchantId === event.merchantId &&
        isActive &&
        (events.includes(read.name) || (events.includes('*') && stars.includes(read.name))) &&
        createdAtMs <= atMs + CREATED_TOLERANCE_MS,
    )
    .flatMap(({ id: endpointId }) => {
      const id = deriveDeliveryId(read.eventId, endpointId);
      if (tables.deliveries.has(id)) return [];
      tables.deliveries.set(id, {
        ...{ id, eventId: read.eventId, endpointId, paymentId, version, body: null },
        ...{ status: 'pending', attempts: 0, step: 0, reason: null, settledAtMs: null },
        ...{ nextAttemptAtMs: nowMs, createdAtMs: nowMs },
      });
      return [{ id, endpointId }];
    });
}
