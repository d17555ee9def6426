// Deliveries in the model of Postgres: what store/postgres/webhooks does for the loops that deliver.
import type {
  Backlog,
  DueDelivery,
  DuePlace,
  OverdueDelivery,
  OverdueRange,
} from '#store/postgres/webhooks/due-deliveries.js';
import type { LiveEndpointRow } from '#store/postgres/webhooks/endpoint-secrets.js';
import { type AttemptRow, UNRECORDED } from '#store/postgres/webhooks/record-attempts.js';
import { countUnpublished, findEvent } from './outbox.js';
import type { DatedTables, DeliveryRow } from './tables.js';

export function loadDeliveries(
  { tables, nowMs }: DatedTables,
  ids: readonly string[],
): Map<string, DueDelivery> {
  const rows = ids.flatMap((id) => tables.deliveries.get(id) ?? []);
  return new Map(
    rows.flatMap((row) => {
      const event = findEvent(tables, row);
      const body = row.body ?? event?.envelope ?? null;
      if (row.status !== 'pending' || body === null) return [];
      const { id, eventId, endpointId, attempts, step } = row;
      const dueInMs = row.nextAttemptAtMs - nowMs;
      const ageMs = nowMs - (event?.atMs ?? row.createdAtMs);
      return [[id, { id, eventId, endpointId, attempts, step, dueInMs, ageMs, body }]];
    }),
  );
}

export function loadLiveEndpoints(
  { tables, nowMs }: DatedTables,
  ids: readonly string[],
): LiveEndpointRow[] {
  return ids
    .flatMap((id) => tables.endpoints.get(id) ?? [])
    .map(({ id, url, isActive: active, secret, nextSecret, switchAtMs }) => ({
      ...{ id, url, active, holds: false, secret, nextSecret },
      switchInMs: switchAtMs === null ? null : switchAtMs - nowMs,
    }));
}

/** Each attempt counts once: only if its delivery has one attempt fewer. */
export function recordAttempts({ tables, nowMs }: DatedTables, rows: readonly AttemptRow[]): void {
  const moved = rows.flatMap((row) => {
    const delivery = tables.deliveries.get(row.deliveryId);
    const isNext = delivery?.status === 'pending' && delivery.attempts === row.attempt - 1;
    return isNext ? [{ row, delivery }] : [];
  });
  for (const { row, delivery } of moved) {
    const { attempt, status, failure, nextInMs } = row;
    const isUnsent = failure === 'endpoint_inactive';
    tables.deliveries.set(delivery.id, {
      ...delivery,
      ...{ attempts: isUnsent ? delivery.attempts : attempt, step: delivery.step + 1, status },
      reason: isUnsent ? (delivery.reason ?? failure) : failure,
      nextAttemptAtMs: nowMs + (nextInMs ?? 0),
      settledAtMs: status === 'pending' ? null : nowMs,
    });
    if (!isUnsent) tables.attempts.set(`${delivery.id} ${attempt}`, row);
  }
  noteFailures({ tables, nowMs }, moved);
}

const OWN_FAILURES: ReadonlySet<string | null> = new Set([
  'endpoint_inactive',
  'secret_unreadable',
]);

function noteFailures(
  { tables, nowMs }: DatedTables,
  moved: readonly { row: AttemptRow; delivery: DeliveryRow }[],
): void {
  for (const endpointId of new Set(moved.map(({ delivery }) => delivery.endpointId))) {
    const own = moved.filter(({ delivery }) => delivery.endpointId === endpointId);
    const failures = own.map(({ row }) => row.failure);
    // Both parts of the statement see the notes as they were before.
    if (failures.includes(null)) tables.failures.delete(endpointId);
    else if (!failures.some((failure) => OWN_FAILURES.has(failure))) {
      const sinceMs = tables.failures.get(endpointId)?.sinceMs ?? nowMs;
      tables.failures.set(endpointId, { sinceMs, latestMs: nowMs });
    }
  }
}

export function settleUnrecorded(
  { tables, nowMs }: DatedTables,
  { deliveryId, attempt, failure }: AttemptRow,
): void {
  const row = tables.deliveries.get(deliveryId);
  if (row?.status !== 'pending' || row.attempts !== attempt - 1) return;
  const status = failure === null ? 'delivered' : 'dead';
  tables.deliveries.set(deliveryId, {
    ...row,
    ...{ attempts: attempt, step: row.step + 1, status, settledAtMs: nowMs, reason: UNRECORDED },
  });
}

export function findOverdue(
  server: DatedTables,
  { after, withinMs }: OverdueRange,
  limit: number,
): OverdueDelivery[] {
  const sinceMs = withinMs === null ? -Infinity : server.nowMs - withinMs;
  const atMs = Math.max(readPlaceMs(after), sinceMs);
  return listOverdue(server)
    .filter((row) => isBehind(row, atMs, after.id))
    .slice(0, limit)
    .map(buildOverdue);
}

export function findOverdueOf(
  server: DatedTables,
  endpointId: string,
  after: DuePlace,
  limit: number,
): OverdueDelivery[] {
  return listOverdue(server)
    .filter((row) => row.endpointId === endpointId && isBehind(row, readPlaceMs(after), after.id))
    .slice(0, limit)
    .map(buildOverdue);
}

const readPlaceMs = ({ at }: DuePlace): number => (at === '-infinity' ? -Infinity : Number(at));

const isBehind = ({ nextAttemptAtMs, id }: DeliveryRow, atMs: number, afterId: string): boolean =>
  nextAttemptAtMs > atMs || (nextAttemptAtMs === atMs && id > afterId);

const buildOverdue = ({ id, endpointId, nextAttemptAtMs }: DeliveryRow): OverdueDelivery => ({
  ...{ id, endpointId, at: String(nextAttemptAtMs) },
});

const listOverdue = ({ tables, nowMs }: DatedTables): DeliveryRow[] =>
  tables.deliveries
    .values()
    .filter(({ status, nextAttemptAtMs }) => status === 'pending' && nextAttemptAtMs <= nowMs)
    .sort((one, other) => (isBehind(one, other.nextAttemptAtMs, other.id) ? 1 : -1));

export function countBacklog({ tables }: DatedTables): Backlog {
  const count = (status: DeliveryRow['status']): number =>
    tables.deliveries.values().filter((row) => row.status === status).length;
  return {
    ...{ pending: count('pending'), dead: count('dead'), unpublished: countUnpublished(tables) },
    quarantined: tables.quarantinedEvents.size,
    // Nothing fails for an hour in a run.
    failingEndpoints: 0,
  };
}
