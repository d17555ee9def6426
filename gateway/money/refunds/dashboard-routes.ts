// Routes of a merchant's refunds for its users. They share the handlers of keys.
import { Type } from '@sinclair/typebox';
import { parseRefundId } from '#actors/core/ids.js';
import {
  parseRefundRequest,
  type RefundRequest,
  type RefundRequestError,
} from '#actors/core/requests/create-refund.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { CreateRefundRequest, Refund } from '#actors/core/schemas/refund.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { buildTenantRequest } from '#gateway/auth/tenant-request.js';
import { buildSteppedBodySpec } from '#gateway/auth/stepped-body.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { FORMAT_QUERY } from '#gateway/lists/csv-format.js';
import { showList, type TransactionDeps } from '#gateway/lists/show-list.js';
import { buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { closed, ENVIRONMENT, EnvironmentQuery } from '#gateway/routing/schema-parts.js';
import { defineMerchantRoute } from '#gateway/routing/session-route.js';
import { createMerchantRefund } from './dashboard-refund.js';
import { createRefundListing, getRefund, RefundsQuery as KeyRefundsQuery } from './list.js';
import { REFUND_ERRORS } from './routes.js';

const REFUNDS = '/v1/merchants/me/refunds';
const CODE_IN_LIVE =
  'In LIVE it needs an `Idempotency-Key` and `totp_code` (403 with that `param` without it).';
const refundParams = { refund_id: { parse: parseRefundId, code: 'refund_not_found' } } as const;
const query = buildQuerySpec(EnvironmentQuery);

const RefundsQuery = Type.Object(
  { ...ENVIRONMENT, ...KeyRefundsQuery.properties, ...FORMAT_QUERY },
  closed,
);

export const buildDashboardRefundRoutes = (
  deps: ApiDeps & AccountDeps & TransactionDeps,
): readonly Route[] => [
  defineMerchantRoute({
    permission: 'read_payments',
    method: 'GET',
    hasCsv: true,
    path: REFUNDS,
    operationId: 'listMerchantRefunds',
    summary: 'List refunds of the merchant',
    description: 'With `Accept: text/csv` the whole matching list is sent as a file.',
    query: buildQuerySpec(RefundsQuery),
    answers: { 200: buildPageSchema(Refund) },
    errors: ['overloaded'],
    handle: (request) => showList(deps, request, { list: 'refunds', open: createRefundListing }),
  }),
  defineMerchantRoute({
    permission: 'change_payments',
    method: 'POST',
    path: REFUNDS,
    operationId: 'createMerchantRefund',
    summary: 'Refund a payment of the merchant',
    description: `As \`createRefund\`: without \`amount\` it refunds all that is left. ${CODE_IN_LIVE}`,
    idempotent: true,
    query,
    body: buildSteppedBodySpec<RefundRequest, RefundRequestError>(
      CreateRefundRequest,
      'CreateMerchantRefundRequest',
      parseRefundRequest,
    ),
    answers: { 201: Refund, 200: Refund },
    errors: REFUND_ERRORS,
    handle: (request) => createMerchantRefund(deps, request),
  }),
  defineMerchantRoute({
    permission: 'read_payments',
    method: 'GET',
    path: `${REFUNDS}/{refund_id}`,
    operationId: 'getMerchantRefund',
    summary: 'Show a refund of the merchant',
    description: 'As an API key shows it.',
    params: refundParams,
    query,
    answers: { 200: Refund },
    handle: (request) => getRefund(deps, buildTenantRequest(request)),
  }),
];
