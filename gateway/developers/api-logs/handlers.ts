// API logs of a merchant: the requests with its keys and their answers.
import type { MerchantId } from '#actors/core/ids.js';
import {
  type ApiLog,
  findLog,
  listLogs,
  type LogFilter,
} from '#store/postgres/merchants/list-api-logs.js';
import { listColumns } from '#gateway/lists/csv-cells.js';
import { showPageOrFile } from '#gateway/lists/csv-download.js';
import type { Listing } from '#gateway/lists/listing.js';
import { readDate } from '#gateway/lists/filters.js';
import { type Answer, type ApiError, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import type { TransactionDeps } from '#gateway/lists/show-list.js';
import { ApiLog as ApiLogSchema, type LogsQuery } from './schema.js';

/** Returns 200 with a page, newest first, or with all logs as CSV. */
export function showLogs(
  deps: TransactionDeps,
  { session, query, preferences }: MerchantRequest<NoParams, undefined, LogsQuery>,
): Answer | Promise<Answer> {
  const { merchantId } = session;
  const listing = createLogListing(deps, merchantId, query);
  const source = { list: 'api_logs', merchantId, environment: null, query } as const;
  return showPageOrFile(deps, listing, source, preferences);
}

/** Returns 200. Another merchant's request id returns 404. */
export async function showLog(
  deps: TransactionDeps,
  { session, params }: MerchantRequest<{ readonly request_id: string }>,
): Promise<Answer> {
  const key = { id: params.request_id, merchantId: session.merchantId };
  const [row] = await findLog(deps.lists, key);
  return row === undefined
    ? buildApiError('api_log_not_found')
    : reply(200, JSON.stringify(viewLog(row)));
}

export function createLogListing(
  deps: Pick<TransactionDeps, 'lists'>,
  merchantId: MerchantId,
  query: LogsQuery,
): Listing<ApiLog> | ApiError {
  const from = readDate(query, 'from');
  if (from !== null && 'code' in from) return from;
  const to = readDate(query, 'to');
  if (to !== null && 'code' in to) return to;
  const { environment, status, method = null, path = null, request_id: requestId = null } = query;
  const filter: LogFilter = {
    ...{ merchantId, method, path, requestId, from, to },
    environment: environment ?? null,
    status: status ?? null,
    subjectId: query.payment_id ?? query.payout_id ?? null,
  };
  return {
    scope: { list: 'api_logs', merchantId, environment: environment ?? 'all' },
    columns: listColumns(ApiLogSchema),
    find: (page) => listLogs(deps.lists, filter, page),
    view: viewLog,
  };
}

function viewLog(row: ApiLog): object {
  const { id, environment, method, path, query, status, code, keyPrefix, keyLastFour } = row;
  return {
    ...{ id, object: 'api_log', at: row.at.toISOString(), environment, method, path, query },
    ...{ status, code, duration_ms: row.durationMs },
    key: keyPrefix === null ? null : `${keyPrefix}…${keyLastFour ?? ''}`,
    idempotency_key: row.idempotencyKey,
    request_body: parse(row.requestBody),
    response_body: parse(row.responseBody),
  };
}

const parse = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
