// The statements of webhooks as random operations on the model of Postgres and on the real one.
import { openDeliveryStore } from '#actors/webhooks/deliveries/ports.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  type DuePlace,
  FIRST_PLACE,
  type OverdueDelivery,
} from '#store/postgres/webhooks/due-deliveries.js';
import { type FannedOut, fanOut } from '#store/postgres/webhooks/fan-out.js';
import type { AttemptRow } from '#store/postgres/webhooks/record-attempts.js';
import * as deliveries from '../postgres/deliveries.js';
import * as outbox from '../postgres/outbox.js';
import type { DatedTables, EndpointRow, StoredEvent, Tables } from '../postgres/tables.js';
import type { Chance } from '../world/chance.js';
import { PARTITIONS } from './answer.js';

const MINUTE_MS = 60_000;
/** Near no limit: an age is a whole number of minutes, and the limits are between them. */
const AGES_MS = [MINUTE_MS, 3 * MINUTE_MS];
const WITHIN_MS = [null, null, 90_000, 150_000];
const RETRY_MS = [0, 0, MINUTE_MS, 4 * MINUTE_MS];
/** Of events, before now. */
const EVENT_AGES_MS = [0, 0, 3 * MINUTE_MS];
/** Small, so that walks have several pages. */
const PAGE = 3;
const ALL = 1_000;
const TYPES = ['payment.paid', 'payment.paid', 'refund.failed', 'payment.unknown'];
const FAILURES = [
  ...[null, null, 'http_status', 'http_status', 'timeout_response'],
  ...['endpoint_inactive', 'secret_unreadable'],
] as (AttemptRow['failure'] | null)[];

export interface WebhooksPair {
  readonly chance: Chance;
  readonly sql: Postgres;
  readonly tables: Tables;
  /** Positions and names of events. */
  next: number;
}

interface WebhooksOperation {
  readonly real: () => Promise<unknown>;
  readonly model: (server: DatedTables) => unknown;
}

type BuildOperation = (pair: WebhooksPair) => WebhooksOperation;

export const sortById = <Row extends { readonly id: string }>(rows: Iterable<Row>): Row[] =>
  [...rows].sort((one, other) => (one.id < other.id ? -1 : 1));

const openStore = (sql: Postgres) => openDeliveryStore({ reads: sql, attempts: sql, fanOut: sql });

const countMinutes = (ms: number | null): number | null =>
  ms === null ? null : Math.abs(Math.round(ms / MINUTE_MS));

const addEvent: BuildOperation = (pair) => {
  const { chance, sql, tables } = pair;
  pair.next += 1;
  const name = String(pair.next).padStart(4, '0');
  // Another event with the same id makes no second delivery.
  const id = `evt_${chance.happens(0.1) ? String(chance.between(1, pair.next)).padStart(4, '0') : name}`;
  const text = JSON.stringify({ id, type: chance.pick(TYPES), created_at: 'now', data: {} });
  const envelope = chance.pick([text, text, text, null, text.slice(1), text.slice(0, -1)]);
  const { merchantId } = chance.pick(tables.endpoints.values());
  const row = {
    ...{ partition: chance.below(PARTITIONS), position: { ms: BigInt(pair.next), seq: 0n } },
    ...{ index: 0, paymentId: `pay_${name}`, version: 2, type: 'settled', event: '{}' },
    ...{ merchantId, environment: 'TEST' as const, envelope },
  };
  const ageMs = chance.pick(EVENT_AGES_MS);
  return {
    real: async () => {
      await sql`
        insert into payment_events (partition, position_ms, position_seq, index, payment_id, version, type,
                                    at, event, merchant_id, environment, envelope)
        values (${row.partition}, ${pair.next}, 0, 0, ${row.paymentId}, 2, 'settled',
                now() - ${ageMs}::integer * interval '1 ms', '{}', ${merchantId}, 'TEST', ${envelope})`;
    },
    model: (server) => {
      tables.events.set(row.paymentId, { ...row, atMs: server.nowMs - ageMs });
    },
  };
};

const sortFannedOut = ({ events, deliveries: made, quarantined }: FannedOut) => ({
  ...{ events, deliveries: sortById(made), quarantined: [...quarantined].sort() },
});

const fanOutSome: BuildOperation = ({ chance, sql }) => {
  const all = Array.from({ length: PARTITIONS }, (_, partition) => partition);
  const partitions = all.filter(() => chance.happens(0.7));
  return {
    real: async () => sortFannedOut(await fanOut(sql, partitions)),
    model: (server) => sortFannedOut(outbox.fanOut(server, partitions)),
  };
};

/** Corrects some envelopes, then fans out what can be read. */
const resume: BuildOperation = ({ chance, sql, tables }) => {
  const broken = tables.events
    .values()
    .filter(({ paymentId, version }) => tables.quarantinedEvents.has(`${paymentId} ${version}`))
    .filter(() => chance.happens(0.5));
  const correct = ({ paymentId }: StoredEvent): string =>
    `{"id":"evt_${paymentId.slice(4)}","type":"payment.paid","created_at":"now"}`;
  return {
    real: async () => {
      for (const row of broken) {
        await sql`update payment_events set envelope = ${correct(row)} where payment_id = ${row.paymentId}`;
      }
      return sortFannedOut(await openStore(sql).resumeQuarantined(ALL));
    },
    model: (server) => {
      for (const row of broken) {
        tables.events.set(row.paymentId, { ...row, envelope: correct(row) });
      }
      return sortFannedOut(outbox.resumeQuarantined(server, ALL));
    },
  };
};

/** A test event: its bytes are in the delivery. Its payment may have an event of its own, with or without an envelope. */
const addTestEvent: BuildOperation = (pair) => {
  const { chance, sql, tables } = pair;
  pair.next += 1;
  const { id: endpointId } = chance.pick(tables.endpoints.values());
  const eventId = `evt_test${pair.next}`;
  const id = outbox.deriveDeliveryId(eventId, endpointId);
  const { paymentId } = chance.pick([...tables.events.values(), { paymentId: 'pay_none' }]);
  const body = `{"id":"${eventId}"}`;
  return {
    real: async () => {
      await sql`
        insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, version, type, body)
        values (${id}, ${eventId}, ${endpointId}, ${paymentId}, 2, 'payment.paid', ${body})`;
    },
    model: ({ nowMs }) => {
      tables.deliveries.set(id, {
        ...{ id, eventId, endpointId, paymentId, version: 2, body, status: 'pending' },
        ...{ attempts: 0, step: 0, reason: null, settledAtMs: null },
        ...{ nextAttemptAtMs: nowMs, createdAtMs: nowMs },
      });
    },
  };
};

const pickDeliveries = ({ chance, tables }: WebhooksPair, share: number) =>
  sortById(tables.deliveries.values()).filter(() => chance.happens(share));

const load: BuildOperation = (pair) => {
  const ids = [...pickDeliveries(pair, 0.5).map(({ id }) => id), 'del_unknown'];
  const show = (found: Awaited<ReturnType<ReturnType<typeof openStore>['loadDeliveries']>>) =>
    sortById(found.values()).map((row) => ({
      ...{ id: row.id, eventId: row.eventId, endpointId: row.endpointId, body: row.body },
      ...{ attempts: row.attempts, step: row.step },
      ...{ dueInMinutes: countMinutes(row.dueInMs), ageMinutes: countMinutes(row.ageMs) },
    }));
  return {
    real: async () => show(await openStore(pair.sql).loadDeliveries(ids)),
    model: (server) => show(deliveries.loadDeliveries(server, ids)),
  };
};

/** Mostly the next attempt of each delivery; a worker that lost its lease has an older or a newer number. */
function buildAttempts(pair: WebhooksPair, share: number): AttemptRow[] {
  const { chance } = pair;
  return pickDeliveries(pair, share).map(({ id, attempts }) => {
    const failure = chance.pick(FAILURES);
    const status = failure === null ? 'delivered' : chance.pick(['pending', 'pending', 'dead']);
    const attempt = attempts + (chance.happens(0.15) ? chance.pick([0, 2]) : 1);
    return {
      ...{ deliveryId: id, attempt, beganMs: performance.now(), durationMs: 5, failure },
      ...{ statusCode: failure === null ? 200 : null, error: null, excerpt: null, status },
      signatures: null,
      nextInMs: status === 'pending' ? chance.pick(RETRY_MS) : null,
    } as AttemptRow;
  });
}

const record: BuildOperation = (pair) => {
  const rows = buildAttempts(pair, 0.4);
  return {
    real: () => openStore(pair.sql).recordAttempts(rows),
    model: (server) => {
      deliveries.recordAttempts(server, rows);
    },
  };
};

const settle: BuildOperation = (pair) => {
  const [row] = buildAttempts(pair, 0.3);
  return {
    real: async () => {
      if (row !== undefined) await openStore(pair.sql).settleUnrecorded(row);
    },
    model: (server) => {
      if (row !== undefined) deliveries.settleUnrecorded(server, row);
    },
  };
};

type Page = readonly OverdueDelivery[];

/** Follows the pages to the end, as the reconciler does. */
async function walk(readPage: (after: DuePlace) => Page | Promise<Page>): Promise<string[]> {
  const ids: string[] = [];
  let after = FIRST_PLACE;
  for (;;) {
    const page = await readPage(after);
    ids.push(...page.map(({ id, endpointId }) => `${endpointId} ${id}`));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return ids;
    after = last;
  }
}

const findOverdue: BuildOperation = ({ chance, sql, tables }) => {
  const store = openStore(sql);
  const withinMs = chance.pick(WITHIN_MS);
  if (chance.happens(0.5)) {
    return {
      real: () => walk((after) => store.findOverdue({ after, withinMs }, PAGE)),
      model: (server) => walk((after) => deliveries.findOverdue(server, { after, withinMs }, PAGE)),
    };
  }
  const { id } = chance.pick(tables.endpoints.values());
  return {
    real: () => walk((after) => store.findOverdueOf(id, after, PAGE)),
    model: (server) => walk((after) => deliveries.findOverdueOf(server, id, after, PAGE)),
  };
};

const countBacklog: BuildOperation = ({ sql }) => ({
  real: () => openStore(sql).countBacklog(),
  model: deliveries.countBacklog,
});

/** Switches it, or begins or ends a rotation. */
const changeEndpoint: BuildOperation = ({ chance, sql, tables }) => {
  const endpoint = chance.pick(tables.endpoints.values());
  const isActive = chance.happens(0.7);
  const nextSecret = chance.pick([null, 'next']);
  const switchInMs = nextSecret === null ? null : chance.pick([-MINUTE_MS, 2 * MINUTE_MS]);
  return {
    real: async () => {
      await sql`
        update webhook_endpoints
           set active = ${isActive}, next_secret = ${nextSecret},
               switch_at = now() + ${switchInMs}::integer * interval '1 ms'
         where id = ${endpoint.id}`;
    },
    model: ({ nowMs }) => {
      const switchAtMs = switchInMs === null ? null : nowMs + switchInMs;
      const changed: EndpointRow = { ...endpoint, isActive, nextSecret, switchAtMs };
      tables.endpoints.set(endpoint.id, changed);
    },
  };
};

const loadEndpoints: BuildOperation = ({ chance, sql, tables }) => {
  const ids = tables.endpoints.values().flatMap(({ id }) => (chance.happens(0.7) ? [id] : []));
  const show = (rows: Awaited<ReturnType<ReturnType<typeof openStore>['loadLiveEndpoints']>>) =>
    sortById(rows).map(({ id, url, active, secret, nextSecret, switchInMs }) => ({
      ...{ id, url, active, secret, nextSecret, switchInMinutes: countMinutes(switchInMs) },
    }));
  return {
    real: async () => show(await openStore(sql).loadLiveEndpoints([...ids, 'we_unknown'])),
    model: (server) => show(deliveries.loadLiveEndpoints(server, [...ids, 'we_unknown'])),
  };
};

/** Makes all rows older. */
const passTime: BuildOperation = ({ chance, sql, tables }) => {
  const ms = chance.pick(AGES_MS);
  const age = `${ms} milliseconds`;
  return {
    real: async () => {
      await sql`update webhook_deliveries set next_attempt_at = next_attempt_at - ${age}::interval,
        created_at = created_at - ${age}::interval`;
      await sql`update payment_events set at = at - ${age}::interval`;
      await sql`update webhook_endpoints set created_at = created_at - ${age}::interval,
        switch_at = switch_at - ${age}::interval`;
    },
    model: () => {
      ageTables(tables, ms);
    },
  };
};

function ageTables(tables: Tables, ms: number): void {
  for (const [key, row] of tables.deliveries.entries()) {
    const { nextAttemptAtMs, createdAtMs } = row;
    const older = { nextAttemptAtMs: nextAttemptAtMs - ms, createdAtMs: createdAtMs - ms };
    tables.deliveries.set(key, { ...row, ...older });
  }
  for (const [key, row] of tables.events.entries()) {
    tables.events.set(key, { ...row, atMs: row.atMs - ms });
  }
  for (const [key, row] of tables.endpoints.entries()) {
    const switchAtMs = row.switchAtMs === null ? null : row.switchAtMs - ms;
    tables.endpoints.set(key, { ...row, createdAtMs: row.createdAtMs - ms, switchAtMs });
  }
}

export const WEBHOOK_OPERATIONS: readonly BuildOperation[] = [
  ...[addEvent, addEvent, addEvent, addEvent, fanOutSome, fanOutSome, resume, addTestEvent],
  ...[load, load, record, record, settle, findOverdue, findOverdue, countBacklog],
  ...[changeEndpoint, loadEndpoints, passTime],
];
