// Routes of a merchant's API logs.
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { showLog, showLogs } from './handlers.js';
import * as wire from './schema.js';
import type { TransactionDeps } from '#gateway/lists/show-list.js';
import { buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { defineMerchantRoute } from '#gateway/routing/session-route.js';

const REQUEST_ID = new RegExp(wire.REQUEST_ID_PATTERN);
const params = {
  request_id: {
    parse: (text: string): string | undefined => (REQUEST_ID.test(text) ? text : undefined),
    code: 'api_log_not_found',
  },
} as const;
const PATH = '/v1/merchants/me/api-logs';

export const buildApiLogRoutes = (deps: TransactionDeps): readonly Route[] => [
  defineMerchantRoute({
    method: 'GET',
    path: PATH,
    operationId: 'listApiLogs',
    summary: 'List API logs',
    description:
      "Requests with the merchant's keys and their answers. They appear within seconds and are kept for 30 days. " +
      'Credentials and customer data are masked. Under high load some may be missing. With `Accept: text/csv` all ' +
      'matching logs are sent as a file.',
    permission: 'read_api_logs',
    hasCsv: true,
    query: buildQuerySpec(wire.LogsQuery),
    answers: { 200: buildPageSchema(wire.ApiLog) },
    errors: ['overloaded'],
    handle: (request) => showLogs(deps, request),
  }),
  defineMerchantRoute({
    method: 'GET',
    path: `${PATH}/{request_id}`,
    operationId: 'getApiLog',
    summary: 'Show an API log',
    description: 'With the masked bodies of the request and its answer.',
    permission: 'read_api_logs',
    params,
    answers: { 200: wire.ApiLog },
    handle: (request) => showLog(deps, request),
  }),
];
