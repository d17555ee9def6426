// The store of the loops of deliveries. Simulations replace it; `openDeliveryStore` opens the one on Postgres.
import type { Postgres } from '#store/postgres/client.js';
import {
  type Backlog,
  countBacklog,
  type DueDelivery,
  type DuePlace,
  findOverdue,
  findOverdueOf,
  loadDeliveries,
  type OverdueDelivery,
  type OverdueRange,
} from '#store/postgres/webhooks/due-deliveries.js';
import {
  type LiveEndpointRow,
  loadLiveEndpoints,
} from '#store/postgres/webhooks/endpoint-secrets.js';
import { loadEventTraces } from '#store/postgres/webhooks/event-traces.js';
import { disableFailing, flagFailing } from '#store/postgres/webhooks/failing-endpoints.js';
import { type FannedOut, resumeQuarantined } from '#store/postgres/webhooks/fan-out.js';
import {
  type AttemptRow,
  type EndpointPause,
  notePauses,
  recordAttempts,
  settleUnrecorded,
} from '#store/postgres/webhooks/record-attempts.js';

export interface DeliveryStore {
  loadDeliveries: (ids: readonly string[]) => Promise<Map<string, DueDelivery>>;
  loadLiveEndpoints: (ids: readonly string[]) => Promise<LiveEndpointRow[]>;
  recordAttempts: (rows: readonly AttemptRow[]) => Promise<void>;
  settleUnrecorded: (row: AttemptRow) => Promise<void>;
  notePauses: (pauses: readonly EndpointPause[]) => Promise<void>;
  findOverdue: (range: OverdueRange, limit: number) => Promise<OverdueDelivery[]>;
  findOverdueOf: (endpointId: string, after: DuePlace, limit: number) => Promise<OverdueDelivery[]>;
  countBacklog: () => Promise<Backlog>;
  flagFailing: () => Promise<string[]>;
  disableFailing: () => Promise<string[]>;
  resumeQuarantined: (limit: number) => Promise<FannedOut>;
}

export interface DeliveryPools {
  readonly reads: Postgres;
  /** Its statements give up waiting for a lock soon. */
  readonly attempts: Postgres;
  /** The pool of the fan-out, whose statements insert deliveries too. */
  readonly fanOut: Postgres;
}

/** Attempts must not wait behind reads, so they have a pool of their own. `isTraced`: deliveries get their trace contexts. */
export function openDeliveryStore(
  { reads, attempts, fanOut }: DeliveryPools,
  isTraced = false,
): DeliveryStore {
  return {
    loadDeliveries: (ids) =>
      isTraced ? loadTracedDeliveries(reads, ids) : loadDeliveries(reads, ids),
    loadLiveEndpoints: (ids) => loadLiveEndpoints(reads, ids),
    recordAttempts: (rows) => recordAttempts(attempts, rows),
    settleUnrecorded: (row) => settleUnrecorded(attempts, row),
    notePauses: (pauses) => notePauses(attempts, pauses),
    findOverdue: (range, limit) => findOverdue(reads, range, limit),
    findOverdueOf: (endpointId, after, limit) => findOverdueOf(reads, endpointId, after, limit),
    countBacklog: () => countBacklog(reads),
    flagFailing: () => flagFailing(fanOut),
    disableFailing: () => disableFailing(fanOut),
    resumeQuarantined: (limit) => resumeQuarantined(fanOut, limit),
  };
}

/** Without the contexts, if they cannot be read: a trace must not stop a delivery. */
async function loadTracedDeliveries(
  sql: Postgres,
  ids: readonly string[],
): Promise<Map<string, DueDelivery>> {
  const [deliveries, traces] = await Promise.all([
    loadDeliveries(sql, ids),
    loadEventTraces(sql, ids).catch((): Map<string, string> => new Map()),
  ]);
  for (const [id, traceparent] of traces) {
    const delivery = deliveries.get(id);
    if (delivery !== undefined) delivery.traceparent = traceparent;
  }
  return deliveries;
}
