// Payments of all merchants, newest first, for operators. An index over all payments by time would cost each create, so
// the list merges the newest payments of each merchant, read from the index of its list. It ends at the place where the
// first of those reads reached its limit.
import type { Environment, MerchantId, PaymentId } from '#actors/core/ids.js';
import { RAIL_NAMES, type RailName } from '#actors/core/rails/rail-names.js';
import type { ShownStatus } from '#actors/core/statuses.js';
import type { Postgres } from '../client.js';
import { filterStatus, orderByStatus } from './list-payments.js';
import type { FoundRows, Page, PagePlace } from '../page.js';

/** Per merchant and environment, for filters on the snapshot. */
const ROWS_SCANNED = 200;

export interface TransactionFilter {
  readonly merchantId: MerchantId | null;
  readonly environment: Environment | null;
  /** `pending` includes `creating`, which is shown as pending. */
  readonly status: ShownStatus | null;
  readonly paymentId: PaymentId | null;
  readonly referenceId: string | null;
  readonly rail: RailName | null;
  readonly orderId: string | null;
  /** The rail's id of a settlement. */
  readonly railTransactionId: string | null;
  readonly createdFromMs: number | null;
  readonly createdToMs: number | null;
}

export interface ListedTransaction extends PagePlace {
  readonly snapshot: string;
}

interface Row {
  readonly id: string;
  readonly created_at: Date;
  readonly snapshot: string;
}

export async function listTransactions(
  sql: Postgres,
  filter: TransactionFilter,
  page: Page,
): Promise<FoundRows<ListedTransaction>> {
  const rows = hasIndex(filter)
    ? await findByIndex(sql, filter, page)
    : await scanMerchants(sql, filter, page);
  const found = rows.filter(({ snapshot }) => snapshot !== '');
  const cut = rows.find(({ snapshot }) => snapshot === '');
  return { rows: found.map(addPlace), stoppedAt: cut === undefined ? null : addPlace(cut) };
}

const addPlace = ({ id, created_at: createdAt, snapshot }: Row): ListedTransaction => ({
  ...{ id, atMs: createdAt.getTime(), snapshot },
});

const hasIndex = ({ paymentId, referenceId, railTransactionId }: TransactionFilter): boolean =>
  paymentId !== null || referenceId !== null || railTransactionId !== null;

function findByIndex(sql: Postgres, filter: TransactionFilter, page: Page): Promise<Row[]> {
  const {
    merchantId,
    environment,
    paymentId,
    referenceId,
    railTransactionId: transaction,
  } = filter;
  const nothing = sql``;
  return sql<Row[]>`
    select p.id, p.created_at, p.snapshot from payments p
     where ${filterCommon(sql, filter, page)}
     ${merchantId === null ? nothing : sql`and p.merchant_id = ${merchantId}`}
     ${environment === null ? nothing : sql`and p.environment = ${environment}`}
     ${paymentId === null ? nothing : sql`and p.id = ${paymentId}`}
     ${referenceId === null ? nothing : sql`and p.reference_id = ${referenceId}`}
     ${
       transaction === null
         ? nothing
         : sql`and p.id in (select t.payment_id from rail_transactions t
                             where t.rail in ${sql(RAIL_NAMES)}
                               and t.transaction_id = ${transaction})`
     }
     ${filterAttempts(sql, filter)}
     order by p.created_at desc, p.id desc limit ${page.limit + 1}`;
}

/** The place where a read reached its limit is the last row, with an empty snapshot. */
function scanMerchants(sql: Postgres, filter: TransactionFilter, page: Page): Promise<Row[]> {
  const { merchantId, environment } = filter;
  const order = orderByStatus(sql, filter.status);
  const isSearching = filter.rail !== null || filter.orderId !== null;
  const depth = isSearching ? ROWS_SCANNED : page.limit + 1;
  return sql<Row[]>`
    with newest as materialized (
      select p.id, p.created_at, p.n
        from merchants m
       cross join (values ('TEST'), ('LIVE')) as e (environment)
       cross join lateral (
         select p.id, p.created_at,
                row_number() over (order by ${order}) as n
           from payments p
          where p.merchant_id = m.id and p.environment = e.environment
            and ${filterCommon(sql, filter, page)}
          order by ${order} limit ${depth}) as p
       where true
       ${merchantId === null ? sql`` : sql`and m.id = ${merchantId}`}
       ${environment === null ? sql`` : sql`and e.environment = ${environment}`}),
    cut as (
      select id, created_at from newest where n = ${depth}
       order by created_at desc, id desc limit 1),
    shown as (
      select p.id, p.created_at, p.snapshot
        from newest n join payments p on p.id = n.id
       where not exists (select from cut c where (n.created_at, n.id) < (c.created_at, c.id))
       ${filterAttempts(sql, filter)}
       order by n.created_at desc, n.id desc limit ${page.limit + 1})
    (select id, created_at, snapshot from shown order by created_at desc, id desc)
    union all select id, created_at, '' from cut`;
}

/** Conditions on columns. */
function filterCommon(sql: Postgres, filter: TransactionFilter, { after }: Page) {
  const { status, createdFromMs: fromMs, createdToMs: toMs } = filter;
  const nothing = sql``;
  return sql`true
     ${status === 'pending' ? sql`and status in ('creating', 'pending')` : filterStatus(sql, filter, after)}
     ${fromMs === null ? nothing : sql`and p.created_at >= ${new Date(fromMs)}`}
     ${toMs === null ? nothing : sql`and p.created_at < ${new Date(toMs)}`}
     ${after === null ? nothing : sql`and (p.created_at, p.id) < (${new Date(after.atMs)}, ${after.id})`}`;
}

/**
 * Rails and orders are in the snapshot only (actors/core/payment/wire/snapshot.ts). Texts of the merchant can look
 * alike, so the caller checks the rows again.
 */
function filterAttempts(sql: Postgres, { rail, orderId }: TransactionFilter) {
  const has = (text: string) => sql`and strpos(p.snapshot, ${text}) > 0`;
  return sql`
    ${rail === null ? sql`` : has(`"rail":"${rail}"`)}
    ${orderId === null ? sql`` : has(`"${orderId}"`)}`;
}
