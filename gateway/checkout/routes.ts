// The hosted page of a payment.
import { parsePaymentId } from '#actors/core/ids.js';
import {
  type CheckoutDeps,
  getCheckout,
  getCheckoutStatus,
  getChoice,
  getQrPng,
  postChoice,
  showApiError,
} from './handlers.js';
import { CheckoutStatus, ChooseMethodRequest } from './schema.js';
import { buildBodyOrFormSpec, defineOpenRoute, type Route } from '../routing/route.js';

const pageParams = {
  payment_id: { parse: (text: string) => parsePaymentId(text) ?? null, code: 'payment_not_found' },
} as const;
const params = { payment_id: { parse: parsePaymentId, code: 'payment_not_found' } } as const;

export const buildCheckoutRoutes = (parts: CheckoutDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'GET',
    path: '/checkout/{payment_id}',
    summary: 'The hosted page of a payment',
    description:
      'Send the customer here (`checkout_url`). Indonesian, or English by `Accept-Language`. ' +
      'Errors are pages for browsers, and error bodies for the rest.',
    params: pageParams,
    showApiError: (refusal, wishes) => showApiError(parts, refusal, wishes),
    limit: 'checkout',
    answers: { 200: null },
    errors: ['payment_not_found', 'dependency_unavailable'],
    handle: (request) => getCheckout(parts, request),
  }),
  defineOpenRoute({
    method: 'GET',
    path: '/checkout/{payment_id}/status',
    summary: 'What the hosted page watches',
    description:
      'No proof of payment. A WebSocket at `/checkout/{payment_id}/live` sends the same text ' +
      'when it opens and whenever it changes.',
    params,
    limit: 'checkout',
    answers: { 200: CheckoutStatus },
    errors: ['payment_not_found', 'dependency_unavailable'],
    handle: (request) => getCheckoutStatus(parts, request),
  }),
  ...buildChoiceRoutes(parts),
  defineOpenRoute({
    method: 'GET',
    path: '/checkout/{payment_id}/qr.png',
    summary: 'The QR code as a picture',
    params,
    limit: 'checkout',
    answers: { 200: null },
    mediaType: 'image/png',
    errors: ['payment_not_found', 'dependency_unavailable'],
    handle: (request) => getQrPng(parts, request),
  }),
];

const buildChoiceRoutes = (parts: CheckoutDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'GET',
    path: '/checkout/{payment_id}/method',
    summary: 'The page to choose a payment method',
    params: pageParams,
    showApiError: (refusal, wishes) => showApiError(parts, refusal, wishes),
    limit: 'checkout',
    answers: { 200: null, 303: null },
    errors: ['payment_not_found', 'dependency_unavailable'],
    handle: (request) => getChoice(parts, request),
  }),
  defineOpenRoute({
    method: 'POST',
    path: '/checkout/{payment_id}/method',
    summary: 'Choose a payment method',
    description:
      'For the customer, where the merchant left the method open or asked for `VA`. ' +
      'A form is answered with 303 to the page, or with a page that says what is wrong.',
    params: pageParams,
    showApiError: (refusal, wishes) => showApiError(parts, refusal, wishes),
    body: buildBodyOrFormSpec(ChooseMethodRequest),
    limit: 'checkout',
    answers: { 200: CheckoutStatus, 303: null },
    errors: [
      'payment_method_unavailable',
      'payment_not_found',
      'payment_processing_failed',
      'state_conflict',
      'overloaded',
      'dependency_unavailable',
      'outcome_unknown',
    ],
    handle: (request) => postChoice(parts, request),
  }),
];
