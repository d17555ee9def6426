// The events of merchants: the stored envelopes, with the exact bytes that webhooks carry. An envelope that cannot be
// read is left out until it is repaired, since it would make the page invalid JSON; webhooks leave it out too.
import {
  type Environment,
  type EventKey,
  deriveEventId,
  type MerchantId,
  parseEventId,
  type PaymentId,
  type PayoutId,
} from '#actors/core/ids.js';
import { PAYMENT_WEBHOOKS } from '#actors/core/payment/state-machine.js';
import { PAYOUT_WEBHOOKS } from '#actors/core/payout/webhooks.js';
import { isPayoutType, type WebhookType } from '#actors/core/schemas/event.js';
import type { Postgres } from '../client.js';
import { type FoundRows, buildScanLimit, type Page, type PagePlace } from '../page.js';

export interface EventFilter {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly type: WebhookType | null;
}

export interface ListedEvent extends PagePlace {
  readonly envelope: string;
}

/** The transitions behind a type. */
function listTransitions(type: WebhookType): string[] {
  const sent = Object.entries({ ...PAYMENT_WEBHOOKS, ...PAYOUT_WEBHOOKS });
  return sent.filter(([, webhook]) => webhook === type).map(([transition]) => transition);
}

type Source = 'payment' | 'payout';
type Found = FoundRows<ListedEvent>;

/** Newest first. Payments and payouts are read apart, each from its index, and merged. */
export async function listEvents(sql: Postgres, filter: EventFilter, page: Page): Promise<Found> {
  const { type } = filter;
  if (type !== null)
    return listSource(sql, isPayoutType(type) ? 'payout' : 'payment', filter, page);
  const found = await Promise.all([
    listSource(sql, 'payment', filter, page),
    listSource(sql, 'payout', filter, page),
  ]);
  return mergeFound(found, page.limit);
}

/** Where a search stopped, rows of the other one may lie behind rows that it has not read: they wait for the next page. */
export function mergeFound(found: readonly Found[], limit: number): Found {
  const stops = found.flatMap(({ stoppedAt }) => (stoppedAt === null ? [] : [stoppedAt]));
  const [stoppedAt = null] = stops.sort(compareNewestFirst);
  const rows = found
    .flatMap((part) => part.rows)
    .filter((row) => stoppedAt === null || compareNewestFirst(row, stoppedAt) <= 0)
    .sort(compareNewestFirst)
    .slice(0, limit + 1);
  return { rows, stoppedAt: rows.length > limit ? null : stoppedAt };
}

/** Ids of events sort like the ids of their payments and payouts with the version. */
function compareNewestFirst(a: PagePlace, b: PagePlace): number {
  if (a.atMs !== b.atMs) return b.atMs - a.atMs;
  if (a.id === b.id) return 0;
  return a.id < b.id ? 1 : -1;
}

async function listSource(
  sql: Postgres,
  source: Source,
  { merchantId, environment, type }: EventFilter,
  { limit, after }: Page,
): Promise<Found> {
  const bound = buildScanLimit(sql);
  const [events, id] = [sql(`${source}_events`), sql(`${source}_id`)];
  const among = sql`merchant_id = ${merchantId} and environment = ${environment}
     and envelope is not null ${after === null ? sql`` : filterBehind(sql, source, after)}`;
  const types = type === null ? [] : listTransitions(type);
  const rows = await sql<Row[]>`
    select ${id} as id, version, at, envelope from (
      select ${id}, version, at, type, envelope from ${events}
       where ${among} order by at desc, ${id} desc, version desc ${bound.rows}) as scanned
     where ${type === null ? sql`true` : sql`type = any(${types}::text[])`} and ${filterReadable(sql)}
     order by at desc, ${id} desc, version desc limit ${limit + 1}`;
  const found = rows.map((row) => ({ ...buildPlace(row), envelope: row.envelope }));
  if (rows.length > limit) return { rows: found, stoppedAt: null };
  const [last] = await sql<Omit<Row, 'envelope'>[]>`
    select ${id} as id, version, at from ${events}
     where ${among} order by at desc, ${id} desc, version desc ${bound.last}`;
  return { rows: found, stoppedAt: last === undefined ? null : buildPlace(last) };
}

interface Row {
  readonly id: PaymentId | PayoutId;
  readonly version: number;
  readonly at: Date;
  readonly envelope: string;
}

function buildPlace({ id, version, at }: Omit<Row, 'envelope'>): PagePlace {
  return { id: deriveEventId(id, version), atMs: at.getTime() };
}

const filterReadable = (sql: Postgres) => sql`(read_envelope(envelope)).event_id is not null`;

function filterBehind(sql: Postgres, source: Source, { atMs, id }: PagePlace) {
  const key = parseEventId(id);
  if (key === undefined) return sql`and false`;
  const subject = source === 'payment' ? key.paymentId : key.payoutId;
  return sql`and (at, ${sql(`${source}_id`)}, version) < (${new Date(atMs)}, ${subject}, ${key.version}::integer)`;
}

/** The envelopes of a payment, oldest first. */
export async function listPaymentEvents(sql: Postgres, paymentId: PaymentId): Promise<string[]> {
  const rows = await sql<{ envelope: string }[]>`
    select envelope from payment_events
     where payment_id = ${paymentId} and envelope is not null and ${filterReadable(sql)} order by version`;
  return rows.map((row) => row.envelope);
}

/** Empty: the merchant has no such event in this environment. */
export async function findEvent(
  sql: Postgres,
  { paymentId, payoutId, version }: EventKey,
  { merchantId, environment }: Pick<EventFilter, 'merchantId' | 'environment'>,
): Promise<string[]> {
  const rows = await sql<{ envelope: string }[]>`
    select envelope from payment_events
     where payment_id = ${paymentId} and version = ${version} and envelope is not null
       and merchant_id = ${merchantId} and environment = ${environment} and ${filterReadable(sql)}
    union all
    select envelope from payout_events
     where payout_id = ${payoutId} and version = ${version} and envelope is not null
       and merchant_id = ${merchantId} and environment = ${environment}`;
  return rows.map((row) => row.envelope);
}
