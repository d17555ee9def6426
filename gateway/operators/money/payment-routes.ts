// Paths of administrators: the payments of all merchants.
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import type { FileDeps } from '#gateway/lists/csv-download.js';
import { buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { defineSessionRoute } from '#gateway/routing/session-route.js';
import { MAX_FILE_DAYS, showTransactions } from './payment-handlers.js';
import { Transaction, TransactionsQuery } from './payment-schema.js';

export const buildAdminPaymentRoutes = (deps: FileDeps): readonly Route[] => [
  defineSessionRoute({
    permission: 'read_administration',
    method: 'GET',
    path: '/v1/admin/transactions',
    operationId: 'listTransactions',
    summary: 'List the payments of all merchants',
    description:
      'With the attempts at rails and their settlements. `rail` and `order_id` search the newest payments of each ' +
      'merchant, one part per page: the search is complete when `next_cursor` is null. With `Accept: text/csv` the whole matching ' +
      'list is sent as a file, which needs `merchant_id`, `payment_id`, `reference_id` or `rail_transaction_id`, or a ' +
      `\`created_from\` at most ${MAX_FILE_DAYS} days before \`created_to\` (absent: now).`,
    hasCsv: true,
    query: buildQuerySpec(TransactionsQuery),
    answers: { 200: buildPageSchema(Transaction) },
    errors: ['card_data_refused', 'overloaded'],
    handle: (request) => showTransactions(deps, request),
  }),
];
