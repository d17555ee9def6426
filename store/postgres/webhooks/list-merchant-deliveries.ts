// Deliveries of a merchant across its endpoints, newest first. Each endpoint's newest are read from its index and merged.
import type { Environment, MerchantId } from '#actors/core/ids.js';
import type { WebhookType } from '#actors/core/schemas/event.js';
import type { DeliveryFailure } from '#actors/core/webhooks/failures.js';
import type { Postgres } from '../client.js';
import type { FoundRows, Page } from '../page.js';
import { filterAmount, selectDeliveriesOf } from './delivery-subjects.js';
import {
  type Delivery,
  type DeliveryStatus,
  filterOlder,
  type ListedDelivery,
  selectDeliveryColumns,
} from './list-deliveries.js';

/** Of one endpoint, for a filter without an index: rare deliveries are found over several pages. */
const ROWS_SCANNED = 10_000;

export interface MerchantDeliveryFilter {
  readonly merchantId: MerchantId;
  /** null: both. */
  readonly environment: Environment | null;
  /** null: all. */
  readonly status: DeliveryStatus | null;
  readonly eventId: string | null;
  /** The payments and payouts whose events are meant; null: any. */
  readonly subjectIds: readonly string[] | null;
  readonly endpointId: string | null;
  readonly type: WebhookType | null;
  /** Of the latest attempt of one that is not delivered. */
  readonly reason: DeliveryFailure | null;
  /** Of the payment or payout, in minor units. */
  readonly amount: string | null;
}

export async function listMerchantDeliveries(
  sql: Postgres,
  filter: MerchantDeliveryFilter,
  page: Page,
): Promise<FoundRows<ListedDelivery>> {
  if (filter.eventId !== null || filter.subjectIds !== null) {
    return { rows: addPlaces(await findByEvent(sql, filter, page)), stoppedAt: null };
  }
  const { status, type, reason, amount } = filter;
  const isSearching = [status, type, reason, amount].some((wanted) => wanted !== null);
  const stop = isSearching ? await findStop(sql, filter, page) : undefined;
  const ofEndpoint = isSearching ? searchEndpoint(sql, filter, page, stop) : readNewest(sql, page);
  const rows = addPlaces(await mergeEndpoints(sql, filter, page, ofEndpoint));
  const stoppedAt = stop === undefined ? null : { id: stop.id, atMs: stop.createdAt.getTime() };
  return { rows, stoppedAt: rows.length > page.limit ? null : stoppedAt };
}

const addPlaces = (rows: readonly Delivery[]): ListedDelivery[] =>
  rows.map((row) => ({ ...row, atMs: row.createdAt.getTime() }));

/** An event has one delivery to each endpoint, and a payment or payout has few events. */
function findByEvent(
  sql: Postgres,
  filter: MerchantDeliveryFilter,
  { limit, after }: Page,
): Promise<Delivery[]> {
  const { eventId, subjectIds } = filter;
  const among =
    subjectIds === null
      ? sql`select * from webhook_deliveries where event_id = ${eventId}`
      : selectDeliveriesOf(sql, subjectIds);
  return sql<Delivery[]>`
    select ${selectDeliveryColumns(sql)}
      from (${among}) as d join webhook_endpoints w on w.id = d.endpoint_id
     where ${filterEndpoints(sql, filter)} ${filterWanted(sql, filter)}
       ${eventId === null ? sql`` : sql`and d.event_id = ${eventId}`}
       ${after === null ? sql`` : filterOlder(sql, after)}
     order by d.created_at desc, d.id desc limit ${limit + 1}`;
}

/** Conditions on `webhook_endpoints w`. */
const filterEndpoints = (
  sql: Postgres,
  { merchantId, environment, endpointId }: MerchantDeliveryFilter,
) => sql`
  w.merchant_id = ${merchantId}
  and (${environment}::text is null or w.environment = ${environment})
  and (${endpointId}::text is null or w.id = ${endpointId})`;

/** Conditions on `webhook_deliveries d`; each begins with `and`. */
const filterWanted = (
  sql: Postgres,
  { status, type, reason, amount }: MerchantDeliveryFilter,
) => sql`
  and (${status}::text is null or d.status = ${status})
  and (${type}::text is null or d.type = ${type})
  and (${reason}::text is null or (d.reason = ${reason} and d.status <> 'delivered'))
  ${amount === null ? sql`` : sql`and ${filterAmount(sql, amount)}`}`;

interface Stop {
  readonly id: string;
  readonly createdAt: Date;
}

/** The newest place where the scan of an endpoint ends: behind it, no endpoint is read. */
async function findStop(
  sql: Postgres,
  filter: MerchantDeliveryFilter,
  { after }: Page,
): Promise<Stop | undefined> {
  const [stop] = await sql<Stop[]>`
    select d.id, d.created_at as "createdAt"
      from webhook_endpoints w cross join lateral (
        select d.id, d.created_at from webhook_deliveries d
         where d.endpoint_id = w.id ${after === null ? sql`` : filterOlder(sql, after)}
         order by d.created_at desc, d.id desc limit 1 offset ${ROWS_SCANNED - 1}) d
     where ${filterEndpoints(sql, filter)}
     order by d.created_at desc, d.id desc limit 1`;
  return stop;
}

/** A part of a statement. */
type Fragment = ReturnType<typeof filterEndpoints>;

/**
 * The newest deliveries of the endpoint `w`. Their places are read before their rows: the index of the places holds all that is
 * needed, so no plan reads and sorts all deliveries of an endpoint that has more than others.
 */
const readNewest = (sql: Postgres, { limit, after }: Page): Fragment => sql`
  select d.* from (
    select d.id from webhook_deliveries d
     where d.endpoint_id = w.id ${after === null ? sql`` : filterOlder(sql, after)}
     order by d.created_at desc, d.id desc limit ${limit + 1}) as place
   cross join lateral (select * from webhook_deliveries where id = place.id offset 0) as d`;

/** The deliveries of the endpoint `w` down to the stop that the filter wants. */
function searchEndpoint(
  sql: Postgres,
  filter: MerchantDeliveryFilter,
  { limit, after }: Page,
  stop: Stop | undefined,
): Fragment {
  // The place of a stop has whole milliseconds, so its exact time is read from its row.
  const until =
    stop === undefined
      ? sql``
      : sql`and (d.created_at, d.id) >= ((select created_at from webhook_deliveries where id = ${stop.id}), ${stop.id})`;
  return sql`
    select d.* from webhook_deliveries d
     where d.endpoint_id = w.id ${filterWanted(sql, filter)}
       ${after === null ? sql`` : filterOlder(sql, after)} ${until}
     order by d.created_at desc, d.id desc limit ${limit + 1}`;
}

function mergeEndpoints(
  sql: Postgres,
  filter: MerchantDeliveryFilter,
  { limit }: Page,
  ofEndpoint: Fragment,
): Promise<Delivery[]> {
  return sql<Delivery[]>`
    select ${selectDeliveryColumns(sql)}
      from webhook_endpoints w cross join lateral (${ofEndpoint}) d
     where ${filterEndpoints(sql, filter)}
     order by d.created_at desc, d.id desc limit ${limit + 1}`;
}
