// The checks after a run of webhooks: each event has reached its endpoints or died with its attempts used up, no attempt
// broke a rule, nothing is left anywhere, and the metrics say so.
import { isFinal, type DeliveryFailure } from '#actors/core/webhooks/failures.js';
import { RECONCILER_KEY, WEBHOOK_PROCESSES_KEY } from '#store/redis/keys.js';
import { countUnpublished, deriveDeliveryId } from '../postgres/outbox.js';
import type { DeliveryRow } from '../postgres/tables.js';
import type { Violation } from '../protocol.js';
import { RETRY_SECONDS } from './process.js';
import { ENDPOINTS, RECEIVER_FAULTS, type WebhookScenario } from './scenario.js';
import type { WebhooksSimulation } from './simulation.js';

const SHOWN = 5;
/** Attempts of one delivery that a fault may repeat: one for each process. */
const REPEATS_PER_FAULT = 2;
const DEAD_KEY = /:dead$/;

type Check = (simulation: WebhooksSimulation, scenario: WebhookScenario) => string[];

const CHECKS: Readonly<Record<string, Check>> = {
  'every event has a delivery for each of its endpoints': findMissing,
  'a delivered event was accepted': findUnaccepted,
  'an attempt sends the stored bytes': findChangedBytes,
  'a dead delivery has used up its attempts': findEarlyDeaths,
  'every attempt is recorded once, in order': findGaps,
  'attempts are repeated after faults only, and seldom': findRepeats,
  'no attempt begins without a lease, or early': ({ audit }) => audit.faults,
  'an attempt is signed with a live secret, and few are under way': ({ receivers }, { faults }) =>
    // A rotation that Postgres has lost is not known to the receiver.
    faults.some(({ kind }) => kind === 'postgres_lost_tail') ? [] : receivers.faults,
};

export function checkWebhooks(
  simulation: WebhooksSimulation,
  scenario: WebhookScenario,
  found: Readonly<Record<string, readonly string[]>>,
): Violation[] {
  const checked = Object.entries(CHECKS).map(
    ([name, check]) => [name, check(simulation, scenario)] as const,
  );
  return [...Object.entries(found), ...checked]
    .filter(([, details]) => details.length > 0)
    .map(([check, details]) => ({ check, details: details.slice(0, SHOWN) }));
}

/** The work that is left; asked again and again after the last fault, until it is nothing. */
export function findUnfinished(simulation: WebhooksSimulation): string[] {
  const { postgres, waiting } = simulation;
  const { tables } = postgres;
  const pending = tables.deliveries.values().filter(({ status }) => status === 'pending');
  const unpublished = countUnpublished(tables);
  return [
    ...(waiting > 0 ? [`${waiting} operations wait for Postgres`] : []),
    ...(unpublished > 0 ? [`${unpublished} events are not fanned out`] : []),
    ...tables.quarantinedEvents.entries().map(([event]) => `${event} is quarantined`),
    ...pending.map(
      ({ id, endpointId, attempts }) => `${id} of ${endpointId} is pending after ${attempts}`,
    ),
    ...findKept(simulation),
  ];
}

/** The keys of queues in Redis that are not empty. */
function findKept({ redis }: WebhooksSimulation): string[] {
  const { keys } = redis.master.queues;
  return keys
    .keys()
    .filter((key) => key !== WEBHOOK_PROCESSES_KEY && key !== RECONCILER_KEY && !DEAD_KEY.test(key))
    .flatMap((key) => {
      if (!key.endsWith(':ready')) return [`${key} is not empty`];
      const stream = keys.read('stream', key);
      const pending = [...(stream?.groups.values() ?? [])].flatMap((group) => group.pending);
      const entries = stream?.entries.length ?? 0;
      const isEmpty = entries + pending.length === 0;
      return isEmpty ? [] : [`${key} has ${entries} entries, ${pending.length} of them held`];
    });
}

/** Gauges that are not 0 although nothing is left. */
export async function findWrongGauges({ processes }: WebhooksSimulation): Promise<string[]> {
  const wrong = processes.map(async ({ process, registry }) => {
    const metrics = await registry.getMetricsAsJSON();
    return metrics
      .filter(({ name }) => GAUGES.has(name))
      .flatMap(({ name, values }) =>
        values
          .filter(({ value }) => value !== 0)
          .map(({ value }) => `${name} of ${process.name} is ${value}`),
      );
  });
  return (await Promise.all(wrong)).flat();
}

/** They are 0 when nothing is left. */
const GAUGES: ReadonlySet<string> = new Set([
  ...[
    'kasir_webhook_queued',
    'kasir_webhook_pending',
    'kasir_outbox_unpublished',
    'kasir_webhook_events_set_aside',
  ],
  'kasir_webhook_breakers_open',
]);

function findMissing({ events, changedEndpoints, postgres }: WebhooksSimulation): string[] {
  return [...events.values()].flatMap(({ eventId, merchantId }) =>
    ENDPOINTS.filter(
      (endpoint) => endpoint.merchantId === merchantId && !changedEndpoints.has(endpoint.id),
    )
      .filter(({ id }) => !postgres.tables.deliveries.has(deriveDeliveryId(eventId, id)))
      .map(({ id }) => `${eventId} has no delivery for ${id}`),
  );
}

const listDeliveries = (
  { postgres }: WebhooksSimulation,
  status: DeliveryRow['status'],
): DeliveryRow[] => postgres.tables.deliveries.values().filter((row) => row.status === status);

function findUnaccepted(simulation: WebhooksSimulation): string[] {
  const accepted = new Set(
    simulation.receivers.attempts
      .filter(({ isAccepted }) => isAccepted)
      .map(({ eventId, endpointId }) => `${eventId} ${endpointId}`),
  );
  return listDeliveries(simulation, 'delivered')
    .filter(({ eventId, endpointId }) => !accepted.has(`${eventId} ${endpointId}`))
    .map(({ id, endpointId }) => `${id} is delivered, and ${endpointId} has not accepted it`);
}

function findChangedBytes({ receivers, events, postgres }: WebhooksSimulation): string[] {
  return receivers.attempts
    .filter(({ eventId, endpointId, body }) => {
      const row = postgres.tables.deliveries.get(deriveDeliveryId(eventId, endpointId));
      const stored = events.get(eventId)?.envelope ?? row?.body;
      // A test event that Postgres has lost cannot be compared.
      return stored !== undefined && stored !== null && stored !== body;
    })
    .map(({ eventId, body }) => `${eventId} was sent as ${body}`);
}

function findEarlyDeaths(simulation: WebhooksSimulation): string[] {
  const allowed = RETRY_SECONDS.length + 1;
  return (
    listDeliveries(simulation, 'dead')
      .filter(({ step, reason }) => step < allowed && !isFinal(reason as DeliveryFailure))
      // The step in which a delivery dies because its endpoint is off is no attempt.
      .filter(({ step, attempts }) => attempts >= step)
      .map(({ id, step, reason }) => `${id} is dead after ${step} attempts: ${reason}`)
  );
}

function findGaps({ postgres }: WebhooksSimulation): string[] {
  const { deliveries, attempts } = postgres.tables;
  const numbers = new Map<string, number>();
  for (const { deliveryId } of attempts.values()) {
    numbers.set(deliveryId, (numbers.get(deliveryId) ?? 0) + 1);
  }
  return deliveries
    .values()
    .filter(({ id, attempts: count }) => (numbers.get(id) ?? 0) !== count)
    .map(
      ({ id, attempts: count }) => `${id} has ${count} attempts and ${numbers.get(id) ?? 0} rows`,
    );
}

function findRepeats(
  { audit, postgres }: WebhooksSimulation,
  { faults }: WebhookScenario,
): string[] {
  const moods: readonly string[] = RECEIVER_FAULTS;
  const allowed = faults.filter(({ kind }) => !moods.includes(kind)).length * REPEATS_PER_FAULT;
  return [...audit.begun].flatMap(([id, begun]) => {
    // A failed attempt may have none: the endpoint was switched off before it was sent.
    const recorded = postgres.tables.deliveries.get(id)?.attempts ?? 0;
    const isBounded = begun - recorded <= allowed;
    return isBounded ? [] : [`${id} was attempted ${begun} times, ${recorded} are recorded`];
  });
}
