// Routes of a merchant's payouts for its users. They share the handlers of keys.
import { Type } from '@sinclair/typebox';
import { parsePayoutId } from '#actors/core/ids.js';
import type { PayoutRequest } from '#actors/core/payout/state.js';
import {
  parsePayoutRequest,
  type PayoutRequestError,
} from '#actors/core/requests/create-payout.js';
import { buildListSchema, buildPageSchema } from '#actors/core/schemas/fields.js';
import { CreatePayoutRequest, Payout, PayoutBank } from '#actors/core/schemas/payout.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { buildTenantRequest } from '#gateway/auth/tenant-request.js';
import { buildSteppedBodySpec } from '#gateway/auth/stepped-body.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { FORMAT_QUERY } from '#gateway/lists/csv-format.js';
import { showList, type TransactionDeps } from '#gateway/lists/show-list.js';
import { buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { closed, ENVIRONMENT, EnvironmentQuery } from '#gateway/routing/schema-parts.js';
import { defineMerchantRoute } from '#gateway/routing/session-route.js';
import { cancelMerchantPayout, createMerchantPayout } from './dashboard-payout.js';
import { createPayoutListing, getPayout, PayoutsQuery as KeyPayoutsQuery } from './list.js';
import { PAYOUT_BANK_LIST, PAYOUT_ERRORS } from './routes.js';

type Deps = ApiDeps & AccountDeps & TransactionDeps;

const PAYOUTS = '/v1/merchants/me/payouts';
const CODE_IN_LIVE =
  'In LIVE it needs an `Idempotency-Key` and `totp_code` (403 with that `param` without it).';
const payoutParams = { payout_id: { parse: parsePayoutId, code: 'payout_not_found' } } as const;
const query = buildQuerySpec(EnvironmentQuery);

const PayoutsQuery = Type.Object(
  { ...ENVIRONMENT, ...KeyPayoutsQuery.properties, ...FORMAT_QUERY },
  closed,
);

export const buildDashboardPayoutRoutes = (deps: Deps): readonly Route[] => [
  ...buildReadRoutes(deps),
  ...buildChangeRoutes(deps),
];

const buildReadRoutes = (deps: Deps): readonly Route[] => [
  defineMerchantRoute({
    method: 'GET',
    hasCsv: true,
    permission: 'read_payouts',
    path: PAYOUTS,
    operationId: 'listMerchantPayouts',
    summary: 'List payouts of the merchant',
    description: 'With `Accept: text/csv` the whole matching list is sent as a file.',
    query: buildQuerySpec(PayoutsQuery),
    answers: { 200: buildPageSchema(Payout) },
    errors: ['overloaded', 'card_data_refused'],
    handle: (request) => showList(deps, request, { list: 'payouts', open: createPayoutListing }),
  }),
  defineMerchantRoute({
    permission: 'read_payouts',
    method: 'GET',
    path: `${PAYOUTS}/{payout_id}`,
    operationId: 'getMerchantPayout',
    summary: 'Show a payout of the merchant',
    description: 'As an API key shows it.',
    params: payoutParams,
    query,
    answers: { 200: Payout },
    handle: (request) => getPayout(deps, buildTenantRequest(request)),
  }),
  defineMerchantRoute({
    permission: 'read_merchant',
    method: 'GET',
    path: '/v1/merchants/me/payout-banks',
    operationId: 'listMerchantPayoutBanks',
    summary: 'List the banks for payouts',
    description: 'The codes that `bank_code` of a payout takes, with the names of the banks.',
    answers: { 200: buildListSchema(PayoutBank) },
    handle: () => PAYOUT_BANK_LIST,
  }),
];

const buildChangeRoutes = (deps: Deps): readonly Route[] => [
  defineMerchantRoute({
    permission: 'change_payouts',
    method: 'POST',
    path: PAYOUTS,
    operationId: 'createMerchantPayout',
    summary: 'Create a payout of the merchant',
    description: `As \`createPayout\`: at most the available balance. ${CODE_IN_LIVE}`,
    idempotent: true,
    query,
    body: buildSteppedBodySpec<PayoutRequest, PayoutRequestError>(
      CreatePayoutRequest,
      'CreateMerchantPayoutRequest',
      parsePayoutRequest,
    ),
    answers: { 201: Payout, 200: Payout },
    errors: PAYOUT_ERRORS,
    handle: (request) => createMerchantPayout(deps, request),
  }),
  defineMerchantRoute({
    permission: 'change_payouts',
    method: 'POST',
    path: `${PAYOUTS}/{payout_id}/cancel`,
    operationId: 'cancelMerchantPayout',
    summary: 'Cancel a payout of the merchant',
    description: 'As `cancelPayout`: only while it is `PENDING`. Repeats are idempotent.',
    params: payoutParams,
    query,
    answers: { 200: Payout },
    errors: ['state_conflict'],
    handle: (request) => cancelMerchantPayout(deps, request),
  }),
];
