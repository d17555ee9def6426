// Paths of administrators: the payments of all merchants.
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import type { AccountDeps } from '../accounts/account-deps.js';
import { buildQuerySpec, type Route } from '../routing/route.js';
import { defineSessionRoute } from '../routing/session-route.js';
import { showTransactions } from './admin-handlers.js';
import { Transaction, TransactionsQuery } from './admin-schema.js';

export const buildAdminPaymentRoutes = (deps: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    permission: 'administrate',
    method: 'GET',
    path: '/v1/admin/transactions',
    operationId: 'listTransactions',
    summary: 'List the payments of all merchants',
    description:
      'With the attempts at rails and their settlements. `rail` and `order_id` search the newest payments of each ' +
      'merchant, one part per page: the search is complete when `next_cursor` is null.',
    query: buildQuerySpec(TransactionsQuery),
    answers: { 200: buildPageSchema(Transaction) },
    errors: ['card_data_refused'],
    handle: (request) => showTransactions(deps, request),
  }),
];
