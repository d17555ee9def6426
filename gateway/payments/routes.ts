// The paths of secret keys (specification, section 4).
import { parsePaymentId } from '#actors/core/ids.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import {
  parseCreateRequest,
  type PaymentRequestError,
} from '#actors/core/requests/create-payment.js';
import { EventEnvelope } from '#actors/core/schemas/event.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { CreatePaymentRequest, Payment } from '#actors/core/schemas/payment.js';
import type { ApiDeps } from './api-deps.js';
import { cancelPayment, createPayment, getPayment } from './handlers.js';
import { listPaymentEvents } from './events.js';
import { listPayments, PaymentsQuery } from './list.js';
import {
  buildParsedBodySpec,
  defineKeyRoute,
  buildQuerySpec,
  type Route,
} from '../routing/route.js';

const params = { payment_id: { parse: parsePaymentId, code: 'payment_not_found' } } as const;

export const buildPaymentRoutes = (parts: ApiDeps): readonly Route[] => [
  defineKeyRoute({
    method: 'POST',
    path: '/v1/payments',
    summary: 'Create a payment',
    idempotent: true,
    body: buildParsedBodySpec<PaymentRequest, PaymentRequestError>(
      CreatePaymentRequest,
      parseCreateRequest,
    ),
    answers: { 201: Payment, 200: Payment },
    errors: [
      'amount_invalid',
      'amount_out_of_range',
      'currency_unsupported',
      'payment_method_unavailable',
      'url_invalid',
      'card_data_refused',
      'idempotency_conflict',
      'payment_processing_failed',
      'outcome_unknown',
    ],
    handle: (request) => createPayment(parts, request),
  }),
  defineKeyRoute({
    method: 'GET',
    path: '/v1/payments',
    summary: 'List payments',
    query: buildQuerySpec(PaymentsQuery),
    answers: { 200: buildPageSchema(Payment) },
    errors: ['field_invalid', 'card_data_refused'],
    handle: (request) => listPayments(parts, request),
  }),
  defineKeyRoute({
    method: 'GET',
    path: '/v1/payments/{payment_id}',
    summary: 'Show a payment',
    params,
    answers: { 200: Payment },
    errors: ['payment_not_found'],
    handle: (request) => getPayment(parts, request),
  }),
  defineKeyRoute({
    method: 'POST',
    path: '/v1/payments/{payment_id}/cancel',
    summary: 'Cancel a payment',
    params,
    answers: { 200: Payment },
    errors: ['payment_not_found', 'state_conflict', 'outcome_unknown'],
    handle: (request) => cancelPayment(parts, request),
  }),
  defineKeyRoute({
    method: 'GET',
    path: '/v1/payments/{payment_id}/events',
    summary: 'List what happened to a payment, oldest first',
    params,
    answers: { 200: buildPageSchema(EventEnvelope) },
    errors: ['payment_not_found'],
    handle: (request) => listPaymentEvents(parts, request),
  }),
];
