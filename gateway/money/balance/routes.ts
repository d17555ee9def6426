// The balance of a merchant: for secret keys, and for its users with the statement of its accounts.
import { Balance } from '#actors/core/schemas/balance.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import type { StoreDeps } from '#gateway/lists/listing.js';
import type { TransactionDeps } from '#gateway/lists/show-list.js';
import { buildQuerySpec, defineKeyRoute, type Route } from '#gateway/routing/route.js';
import { defineMerchantRoute } from '#gateway/routing/session-route.js';
import { getBalance, showBalance } from './handlers.js';
import { showMovements } from './movements.js';
import { BalanceMovement, BalanceQuery, MovementsQuery, StatementQuery } from './schema.js';
import { sendStatement } from './statement.js';

const PATH = '/v1/merchants/me/balance';

export const buildBalanceRoutes = (deps: StoreDeps): readonly Route[] => [
  defineKeyRoute({
    method: 'GET',
    path: '/v1/balance',
    operationId: 'getBalance',
    summary: 'Show the balance',
    description: 'One entry for each currency.',
    answers: { 200: Balance },
    handle: (request) => getBalance(deps, request),
  }),
];

export const buildMerchantBalanceRoutes = (deps: TransactionDeps): readonly Route[] => [
  defineMerchantRoute({
    method: 'GET',
    permission: 'read_payments',
    hasCsv: true,
    path: PATH,
    operationId: 'getMerchantBalance',
    summary: 'Show the balance of the merchant',
    description: 'With `Accept: text/csv` it is sent as a file.',
    query: buildQuerySpec(BalanceQuery),
    answers: { 200: Balance },
    handle: (request) => showBalance(deps, request),
  }),
  defineMerchantRoute({
    method: 'GET',
    permission: 'read_payments',
    path: `${PATH}/statement`,
    operationId: 'downloadBalanceStatement',
    summary: 'Download the statement of the balance',
    description:
      'Every movement of the accounts of an environment between two times, with opening and closing balances, as CSV. ' +
      'Movements of the last few seconds may still be missing.',
    query: buildQuerySpec(StatementQuery),
    answers: { 200: null },
    mediaType: 'text/csv',
    errors: ['overloaded'],
    handle: (request) => sendStatement(deps, request),
  }),
  defineMerchantRoute({
    method: 'GET',
    permission: 'read_payments',
    path: `${PATH}/movements`,
    operationId: 'listBalanceMovements',
    summary: 'List the movements of the balance',
    description:
      'Newest first. The balance after each movement is in the statement. Movements of the last few seconds may still be ' +
      'missing.',
    query: buildQuerySpec(MovementsQuery),
    answers: { 200: buildPageSchema(BalanceMovement) },
    errors: ['overloaded'],
    handle: (request) => showMovements(deps, request),
  }),
];
