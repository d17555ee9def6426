// Deliveries of a merchant across its endpoints, newest first. Each endpoint's newest are read from its index and merged.
import type { Environment, MerchantId, PaymentId, PayoutId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import type { FoundRows, Page } from '../page.js';
import {
  type Delivery,
  type DeliveryStatus,
  filterOlder,
  type ListedDelivery,
  selectDeliveryColumns,
} from './list-deliveries.js';

/** Of one endpoint, for a status: rare ones are found over several pages. */
const ROWS_SCANNED = 10_000;

export interface MerchantDeliveryFilter {
  readonly merchantId: MerchantId;
  /** null: both. */
  readonly environment: Environment | null;
  /** null: all. */
  readonly status: DeliveryStatus | null;
  readonly eventId: string | null;
  /** The payment or the payout whose events are meant; null: any. */
  readonly subjectId: PaymentId | PayoutId | null;
}

export async function listMerchantDeliveries(
  sql: Postgres,
  filter: MerchantDeliveryFilter,
  page: Page,
): Promise<FoundRows<ListedDelivery>> {
  if (filter.eventId !== null || filter.subjectId !== null) {
    return { rows: addPlaces(await findByEvent(sql, filter, page)), stoppedAt: null };
  }
  const stop = filter.status === null ? undefined : await findStop(sql, filter, page);
  const rows = addPlaces(await mergeEndpoints(sql, filter, page, stop));
  const stoppedAt = stop === undefined ? null : { id: stop.id, atMs: stop.createdAt.getTime() };
  return { rows, stoppedAt: rows.length > page.limit ? null : stoppedAt };
}

const addPlaces = (rows: readonly Delivery[]): ListedDelivery[] =>
  rows.map((row) => ({ ...row, atMs: row.createdAt.getTime() }));

/** An object has few events; their ids begin with the characters of its own id. */
function findByEvent(
  sql: Postgres,
  { merchantId, environment, status, eventId, subjectId }: MerchantDeliveryFilter,
  { limit, after }: Page,
): Promise<Delivery[]> {
  return sql<Delivery[]>`
    select ${selectDeliveryColumns(sql)}
      from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
     where w.merchant_id = ${merchantId}
       and (${environment}::text is null or w.environment = ${environment})
       and (${status}::text is null or d.status = ${status})
       ${eventId === null ? sql`` : sql`and d.event_id = ${eventId}`}
       ${subjectId === null ? sql`` : filterEvents(sql, subjectId)}
       ${after === null ? sql`` : filterOlder(sql, after)}
     order by d.created_at desc, d.id desc limit ${limit + 1}`;
}

function filterEvents(sql: Postgres, id: PaymentId | PayoutId) {
  const begin = `evt_${id.slice(id.indexOf('_') + 1)}`;
  return sql`and d.event_id > ${begin} and d.event_id < ${`${begin}~`}
             and ${id}::text in (d.payment_id, d.payout_id)`;
}

interface Stop {
  readonly id: string;
  readonly createdAt: Date;
}

/** The newest place where the scan of an endpoint ends: behind it, no endpoint is read. */
async function findStop(
  sql: Postgres,
  { merchantId, environment }: MerchantDeliveryFilter,
  { after }: Page,
): Promise<Stop | undefined> {
  const [stop] = await sql<Stop[]>`
    select d.id, d.created_at as "createdAt"
      from webhook_endpoints w cross join lateral (
        select d.id, d.created_at from webhook_deliveries d
         where d.endpoint_id = w.id ${after === null ? sql`` : filterOlder(sql, after)}
         order by d.created_at desc, d.id desc limit 1 offset ${ROWS_SCANNED - 1}) d
     where w.merchant_id = ${merchantId}
       and (${environment}::text is null or w.environment = ${environment})
     order by d.created_at desc, d.id desc limit 1`;
  return stop;
}

function mergeEndpoints(
  sql: Postgres,
  { merchantId, environment, status }: MerchantDeliveryFilter,
  { limit, after }: Page,
  stop: Stop | undefined,
): Promise<Delivery[]> {
  // The place of a stop has whole milliseconds, so its exact time is read from its row.
  const until =
    stop === undefined
      ? sql``
      : sql`and (d.created_at, d.id) >= ((select created_at from webhook_deliveries where id = ${stop.id}), ${stop.id})`;
  return sql<Delivery[]>`
    select ${selectDeliveryColumns(sql)}
      from webhook_endpoints w cross join lateral (
        select d.* from webhook_deliveries d
         where d.endpoint_id = w.id
           and (${status}::text is null or d.status = ${status})
           ${after === null ? sql`` : filterOlder(sql, after)} ${until}
         order by d.created_at desc, d.id desc limit ${limit + 1}) d
     where w.merchant_id = ${merchantId}
       and (${environment}::text is null or w.environment = ${environment})
     order by d.created_at desc, d.id desc limit ${limit + 1}`;
}
