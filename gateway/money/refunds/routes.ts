// Paths of secret keys: refunds.
import { parseRefundId } from '#actors/core/ids.js';
import {
  parseRefundRequest,
  type RefundRequestError,
  type RefundRequest,
} from '#actors/core/requests/create-refund.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { CreateRefundRequest, Refund } from '#actors/core/schemas/refund.js';
import { getRefund, listRefunds, RefundsQuery } from './list.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { createRefund } from './handlers.js';
import {
  buildParsedBodySpec,
  defineKeyRoute,
  buildQuerySpec,
  type Route,
} from '#gateway/routing/route.js';

const params = { refund_id: { parse: parseRefundId, code: 'refund_not_found' } } as const;

export const REFUND_ERRORS = [
  'amount_invalid',
  'amount_out_of_range',
  'card_data_refused',
  'payment_not_found',
  'state_conflict',
  'refund_exceeds_payment',
  'idempotency_conflict',
  'outcome_unknown',
] as const;

export const buildRefundRoutes = (deps: ApiDeps): readonly Route[] => [
  defineKeyRoute({
    method: 'POST',
    path: '/v1/refunds',
    operationId: 'createRefund',
    summary: 'Refund a payment, whole or in part',
    description:
      'Without `amount` it refunds all that is left. In TEST the refund succeeds at once. `MANUAL_REQUIRED`: the rail cannot refund, and an administrator pays the customer back.',
    idempotent: true,
    body: buildParsedBodySpec<RefundRequest, RefundRequestError>(
      CreateRefundRequest,
      parseRefundRequest,
    ),
    answers: { 201: Refund, 200: Refund },
    errors: REFUND_ERRORS,
    handle: (request) => createRefund(deps, request),
  }),
  defineKeyRoute({
    method: 'GET',
    path: '/v1/refunds',
    operationId: 'listRefunds',
    summary: 'List refunds',
    description: 'Newest first.',
    query: buildQuerySpec(RefundsQuery),
    answers: { 200: buildPageSchema(Refund) },
    errors: ['field_invalid'],
    handle: (request) => listRefunds(deps, request),
  }),
  defineKeyRoute({
    method: 'GET',
    path: '/v1/refunds/{refund_id}',
    operationId: 'getRefund',
    summary: 'Show a refund',
    description: '`SUCCEEDED`: the customer has the money back.',
    params,
    answers: { 200: Refund },
    errors: ['refund_not_found'],
    handle: (request) => getRefund(deps, request),
  }),
];
