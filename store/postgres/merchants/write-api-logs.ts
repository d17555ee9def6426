// Stores API logs in daily partitions, and creates and drops those partitions. Repeats are idempotent.
import { joinColumn as join } from '../join-column.js';
import type { Postgres } from '../client.js';

const KEPT_DAYS = 30;
const DAYS_AHEAD = 3;

export interface ApiLogRow {
  readonly atMs: number;
  readonly requestId: string;
  readonly merchantId: string;
  readonly environment: string;
  readonly keyId: string;
  readonly method: string;
  readonly path: string;
  readonly query: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly durationMs: number;
  readonly idempotencyKey: string | null;
  /** The id of a payment or a payout. */
  readonly paymentId: string | null;
  /** JSON without control characters, which separate the columns (join-column.ts). */
  readonly requestBody: string | null;
  readonly responseBody: string | null;
}

/**
 * A log of an erased payment is stored without its bodies, query and idempotency key, however late it arrives. Its time
 * is limited to the last 20 hours, so that a partition exists even if a gateway's clock is wrong by days. It has whole
 * milliseconds, since list cursors have no finer resolution.
 */
export async function writeLogs(sql: Postgres, rows: readonly ApiLogRow[]): Promise<void> {
  const column = (of: (row: ApiLogRow) => string | number | null) => sql`split(${join(rows, of)})`;
  await sql`
    insert into api_logs (at, request_id, merchant_id, environment, key_id, method, path, query, status,
                          code, duration_ms, idempotency_key, payment_id, request_body, response_body)
    select date_trunc('milliseconds',
                      greatest(least(to_timestamp(l.at_ms / 1000.0), now()), now() - interval '20 hours')),
           l.request_id, l.merchant_id, l.environment, l.key_id, l.method, l.path,
           case when x.id is null then l.query end, l.status, l.code, l.duration_ms,
           case when x.id is null then l.idempotency_key end, l.payment_id,
           case when x.id is null then l.request_body end, case when x.id is null then l.response_body end
      from unnest(${column((row) => row.atMs)}::bigint[], ${column((row) => row.requestId)},
                  ${column((row) => row.merchantId)}, ${column((row) => row.environment)},
                  ${column((row) => row.keyId)}, ${column((row) => row.method)},
                  ${column((row) => row.path)}, ${column((row) => row.query)},
                  ${column((row) => row.status)}::smallint[], ${column((row) => row.code)},
                  ${column((row) => row.durationMs)}::integer[],
                  ${column((row) => row.idempotencyKey)}, ${column((row) => row.paymentId)},
                  ${column((row) => row.requestBody)}, ${column((row) => row.responseBody)})
           as l (at_ms, request_id, merchant_id, environment, key_id, method, path, query, status, code,
                 duration_ms, idempotency_key, payment_id, request_body, response_body)
      left join erasure_subjects x on x.id = l.payment_id
    on conflict do nothing`;
}

/**
 * Creates the partitions of the days around `today` and drops those older than KEPT_DAYS. `today`: YYYY-MM-DD in UTC; null: by
 * the server's clock.
 */
export async function maintainDays(sql: Postgres, today: string | null = null): Promise<void> {
  await sql`
    select keep_api_log_days(${KEPT_DAYS}, ${DAYS_AHEAD}, coalesce(${today}::text::date, (now() at time zone 'UTC')::date))`;
}
