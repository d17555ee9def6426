// Paths of secret keys: payments.
import { parsePaymentId } from '#actors/core/ids.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import {
  parseCreateRequest,
  type PaymentRequestError,
} from '#actors/core/requests/create-payment.js';
import { EventEnvelope } from '#actors/core/schemas/event.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { CreatePaymentRequest, Payment } from '#actors/core/schemas/payment.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { cancelPayment, createPayment, getPayment } from './handlers.js';
import { listPaymentEvents } from './events.js';
import { listPayments, PaymentsQuery } from './list.js';
import {
  buildParsedBodySpec,
  defineKeyRoute,
  buildQuerySpec,
  type Route,
} from '#gateway/routing/route.js';

const params = { payment_id: { parse: parsePaymentId, code: 'payment_not_found' } } as const;

const CREATE_ERRORS = [
  'amount_invalid',
  'amount_out_of_range',
  'currency_unsupported',
  'payment_method_unavailable',
  'url_invalid',
  'card_data_refused',
  'idempotency_conflict',
  'payment_processing_failed',
  'outcome_unknown',
] as const;

export const buildPaymentRoutes = (deps: ApiDeps): readonly Route[] => [
  defineKeyRoute({
    method: 'POST',
    path: '/v1/payments',
    operationId: 'createPayment',
    summary: 'Create a payment',
    description:
      'The answer has `checkout_url`, where the customer pays. A repeat with the same `Idempotency-Key` returns the same payment.',
    idempotent: true,
    body: buildParsedBodySpec<PaymentRequest, PaymentRequestError>(
      CreatePaymentRequest,
      parseCreateRequest,
    ),
    answers: { 201: Payment, 200: Payment },
    errors: CREATE_ERRORS,
    handle: createPayment.bind(null, deps),
  }),
  defineKeyRoute({
    method: 'GET',
    path: '/v1/payments',
    operationId: 'listPayments',
    summary: 'List payments',
    description: 'Newest first.',
    query: buildQuerySpec(PaymentsQuery),
    answers: { 200: buildPageSchema(Payment) },
    errors: ['field_invalid', 'card_data_refused'],
    handle: listPayments.bind(null, deps),
  }),
  defineKeyRoute({
    method: 'GET',
    path: '/v1/payments/{payment_id}',
    operationId: 'getPayment',
    summary: 'Show a payment',
    description: '`paid` is final proof of payment.',
    params,
    answers: { 200: Payment },
    errors: ['payment_not_found'],
    handle: getPayment.bind(null, deps),
  }),
  ...buildPaymentActionRoutes(deps),
];

const buildPaymentActionRoutes = (deps: ApiDeps): readonly Route[] => [
  defineKeyRoute({
    method: 'POST',
    path: '/v1/payments/{payment_id}/cancel',
    operationId: 'cancelPayment',
    summary: 'Cancel a payment',
    description:
      'Only while it is `pending`. Repeats are idempotent. 409: it is already paid, or its rail refuses. 504: the rail has not answered yet; ask again later.',
    params,
    answers: { 200: Payment },
    errors: ['payment_not_found', 'state_conflict', 'outcome_unknown'],
    handle: cancelPayment.bind(null, deps),
  }),
  defineKeyRoute({
    method: 'GET',
    path: '/v1/payments/{payment_id}/events',
    operationId: 'listPaymentEvents',
    summary: 'List the events of a payment, oldest first',
    description: 'All of them on one page: a payment has few.',
    params,
    answers: { 200: buildPageSchema(EventEnvelope) },
    errors: ['payment_not_found'],
    handle: listPaymentEvents.bind(null, deps),
  }),
];
