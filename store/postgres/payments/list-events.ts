// The events of merchants: the stored envelopes, with the exact bytes that webhooks carry. An envelope that cannot be
// read is left out until it is repaired, since it would make the page invalid JSON; webhooks leave it out too.
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

/** The transitions behind each type. */
const TRANSITIONS: Readonly<Record<WebhookType, readonly string[]>> = {
  'payment.paid': ['payment_paid'],
  'payment.failed': ['payment_failed', 'payment_reversed'],
  'payment.cancelled': ['payment_cancelled'],
  'payment.refunded': ['refund_succeeded', 'refund_corrected'],
  'refund.failed': ['refund_failed'],
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
       where ${among} order by at desc, payment_id desc, version desc ${bound.rows}) as scanned
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
  { paymentId, version }: EventKey,
  { merchantId, environment }: Pick<EventFilter, 'merchantId' | 'environment'>,
): Promise<string[]> {
  const rows = await sql<{ envelope: string }[]>`
    select envelope from payment_events
     where payment_id = ${paymentId} and version = ${version} and envelope is not null
       and merchant_id = ${merchantId} and environment = ${environment} and ${filterReadable(sql)}`;
  return rows.map((row) => row.envelope);
}
