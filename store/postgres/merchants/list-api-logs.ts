// Reads API logs: a page or a single log.
import type { Environment, MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import { type FoundRows, buildScanLimit, type Page, type PagePlace } from '../page.js';

/** null selects every value. */
export interface LogFilter {
  readonly merchantId: MerchantId;
  readonly environment: Environment | null;
  readonly status: number | null;
  readonly method: string | null;
  /** The beginning of the path. */
  readonly path: string | null;
  readonly requestId: string | null;
  /** The payment or the payout that the request was about. */
  readonly subjectId: string | null;
  /** Inclusive. */
  readonly from: Date | null;
  /** Exclusive. */
  readonly to: Date | null;
}

export interface ApiLog extends PagePlace {
  readonly at: Date;
  readonly environment: Environment;
  readonly keyPrefix: string | null;
  readonly keyLastFour: string | null;
  readonly method: string;
  readonly path: string;
  readonly query: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly durationMs: number;
  readonly idempotencyKey: string | null;
  readonly requestBody: string | null;
  readonly responseBody: string | null;
}

const selectColumns = (sql: Postgres) => sql`
  l.request_id as id, l.at, l.environment, k.prefix as "keyPrefix", k.last_four as "keyLastFour",
  l.method, l.path, l.query, l.status, l.code, l.duration_ms as "durationMs",
  l.idempotency_key as "idempotencyKey", l.request_body as "requestBody",
  l.response_body as "responseBody"`;

const buildLog = (row: Omit<ApiLog, 'atMs'>): ApiLog => ({ ...row, atMs: row.at.getTime() });

/**
 * Lists logs, newest first. Their places are read before their rows: the index of the places holds all that is needed, so no plan
 * reads and sorts all logs of a merchant that has more than others.
 */
export async function listLogs(
  sql: Postgres,
  filter: LogFilter,
  { limit, after }: Page,
): Promise<FoundRows<ApiLog>> {
  const { merchantId, environment, status, method, path, requestId, subjectId, from, to } = filter;
  const bound = buildScanLimit(sql);
  const nothing = sql``;
  const among = sql`merchant_id = ${merchantId}
     ${from === null ? nothing : sql`and at >= ${from}`}
     ${to === null ? nothing : sql`and at < ${to}`}
     ${requestId === null ? nothing : sql`and request_id = ${requestId}`}
     ${subjectId === null ? nothing : sql`and payment_id = ${subjectId}`}
     ${after === null ? nothing : sql`and (at, request_id) < (${new Date(after.atMs)}, ${after.id})`}`;
  const wanted = sql`(${environment}::text is null or l.environment = ${environment})
     and (${status}::int is null or l.status = ${status})
     and (${method}::text is null or l.method = ${method})
     and (${path}::text is null or starts_with(l.path, ${path}))`;
  const rows = await sql<Omit<ApiLog, 'atMs'>[]>`
    select ${selectColumns(sql)} from (
      select at, request_id from api_logs where ${among}
       order by at desc, request_id desc ${bound.rows}) as place
     cross join lateral (
       select * from api_logs where request_id = place.request_id and at = place.at offset 0) as l
      left join api_keys k on k.id = l.key_id
     where ${wanted} order by place.at desc, place.request_id desc limit ${limit + 1}`;
  const found = rows.map(buildLog);
  if (rows.length > limit) return { rows: found, stoppedAt: null };
  const [last] = await sql<{ id: string; at: Date }[]>`
    select request_id as id, at from api_logs
     where ${among} order by at desc, request_id desc ${bound.last}`;
  return {
    rows: found,
    stoppedAt: last === undefined ? null : { id: last.id, atMs: last.at.getTime() },
  };
}

/** Empty if the merchant has no log of this request. */
export async function findLog(
  sql: Postgres,
  { id, merchantId }: { readonly id: string; readonly merchantId: MerchantId },
): Promise<ApiLog[]> {
  const rows = await sql<Omit<ApiLog, 'atMs'>[]>`
    select ${selectColumns(sql)} from api_logs l left join api_keys k on k.id = l.key_id
     where l.request_id = ${id} and l.merchant_id = ${merchantId}`;
  return rows.map(buildLog);
}
