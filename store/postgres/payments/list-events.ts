// The events that merchants are told of: the stored envelopes, byte for byte what webhooks carry. One that cannot be
// read is told to nobody, here as little as by webhooks, until it is mended: it would make a page no JSON.
import {
  type Environment,
  type EventKey,
  deriveEventId,
  type MerchantId,
  parseEventId,
  type PaymentId,
} from '#actors/core/ids.js';
import type { WebhookType } from '#actors/core/schemas/event.js';
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

/** The transitions that each type is told of. */
const TRANSITIONS: Readonly<Record<WebhookType, readonly string[]>> = {
  'payment.paid': ['payment_paid'],
  'payment.failed': ['payment_failed', 'payment_reversed'],
  'payment.cancelled': ['payment_cancelled'],
  'payment.refunded': ['refund_succeeded'],
};

/** Newest first. */
export async function listEvents(
  sql: Postgres,
  { merchantId, environment, type }: EventFilter,
  { limit, after }: Page,
): Promise<FoundRows<ListedEvent>> {
  const bound = buildScanLimit(sql);
  const among = sql`merchant_id = ${merchantId} and environment = ${environment}
     and envelope is not null ${after === null ? sql`` : filterBehind(sql, after)}`;
  const types = type === null ? [] : TRANSITIONS[type];
  const rows = await sql<Row[]>`
    select payment_id, version, at, envelope from (
      select payment_id, version, at, type, envelope from payment_events
       where ${among} order by at desc, payment_id desc, version desc ${bound.rows}) as looked_through
     where ${type === null ? sql`true` : sql`type = any(${[...types]}::text[])`} and ${filterReadable(sql)}
     order by at desc, payment_id desc, version desc limit ${limit + 1}`;
  const found = rows.map((row) => ({ ...buildPlace(row), envelope: row.envelope }));
  if (rows.length > limit) return { rows: found, stoppedAt: null };
  const [last] = await sql<Omit<Row, 'envelope'>[]>`
    select payment_id, version, at from payment_events
     where ${among} order by at desc, payment_id desc, version desc ${bound.last}`;
  return { rows: found, stoppedAt: last === undefined ? null : buildPlace(last) };
}

interface Row {
  readonly payment_id: PaymentId;
  readonly version: number;
  readonly at: Date;
  readonly envelope: string;
}

function buildPlace({ payment_id: paymentId, version, at }: Omit<Row, 'envelope'>): PagePlace {
  return { id: deriveEventId(paymentId, version), atMs: at.getTime() };
}

const filterReadable = (sql: Postgres) => sql`(read_envelope(envelope)).event_id is not null`;

function filterBehind(sql: Postgres, { atMs, id }: PagePlace) {
  const key = parseEventId(id);
  if (key === undefined) return sql`and false`;
  const { paymentId, version } = key;
  return sql`and (at, payment_id, version) < (${new Date(atMs)}, ${paymentId}, ${version}::integer)`;
}

/** Everything that a payment has told, oldest first. */
export async function listPaymentEvents(sql: Postgres, paymentId: PaymentId): Promise<string[]> {
  const rows = await sql<{ envelope: string }[]>`
    select envelope from payment_events
     where payment_id = ${paymentId} and envelope is not null and ${filterReadable(sql)} order by version`;
  return rows.map((row) => row.envelope);
}

/** Empty: the merchant has no such event in this environment. */
export async function findEvent(
  sql: Postgres,
  { paymentId, version }: EventKey,
  { merchantId, environment }: Pick<EventFilter, 'merchantId' | 'environment'>,
): Promise<string[]> {
  const rows = await sql<{ envelope: string }[]>`
    select envelope from payment_events
     where payment_id = ${paymentId} and version = ${version} and envelope is not null
       and merchant_id = ${merchantId} and environment = ${environment} and ${filterReadable(sql)}`;
  return rows.map((row) => row.envelope);
}
