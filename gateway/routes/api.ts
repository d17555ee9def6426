// The paths of secret keys (specification, section 4).
import { parsePaymentId } from '#actors/core/ids.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import { parseCreateRequest, type RequestFault } from '#actors/core/requests/create-payment.js';
import { EventEnvelope } from '#actors/core/schemas/event.js';
import { listOf } from '#actors/core/schemas/fields.js';
import { CreatePaymentRequest, Payment } from '#actors/core/schemas/payment.js';
import type { ApiParts } from '../api/parts.js';
import { cancelPayment, createPayment, getPayment } from '../api/payments.js';
import { listPaymentEvents } from '../api/lists/events.js';
import { listPayments, PaymentsQuery } from '../api/lists/payments.js';
import { bodyParsedBy, keyRoute, queryOf, type Route } from './route.js';

const params = { payment_id: { parse: parsePaymentId, code: 'payment_not_found' } } as const;

export const apiRoutes = (parts: ApiParts): readonly Route[] => [
  keyRoute({
    method: 'POST',
    path: '/v1/payments',
    summary: 'Create a payment',
    idempotent: true,
    body: bodyParsedBy<PaymentRequest, RequestFault>(CreatePaymentRequest, parseCreateRequest),
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
  keyRoute({
    method: 'GET',
    path: '/v1/payments',
    summary: 'List payments',
    query: queryOf(PaymentsQuery),
    answers: { 200: listOf(Payment) },
    errors: ['field_invalid', 'card_data_refused'],
    handle: (request) => listPayments(parts, request),
  }),
  keyRoute({
    method: 'GET',
    path: '/v1/payments/{payment_id}',
    summary: 'Show a payment',
    params,
    answers: { 200: Payment },
    errors: ['payment_not_found'],
    handle: (request) => getPayment(parts, request),
  }),
  keyRoute({
    method: 'POST',
    path: '/v1/payments/{payment_id}/cancel',
    summary: 'Cancel a payment',
    params,
    answers: { 200: Payment },
    errors: ['payment_not_found', 'state_conflict', 'outcome_unknown'],
    handle: (request) => cancelPayment(parts, request),
  }),
  keyRoute({
    method: 'GET',
    path: '/v1/payments/{payment_id}/events',
    summary: 'List what happened to a payment, oldest first',
    params,
    answers: { 200: listOf(EventEnvelope) },
    errors: ['payment_not_found'],
    handle: (request) => listPaymentEvents(parts, request),
  }),
];
