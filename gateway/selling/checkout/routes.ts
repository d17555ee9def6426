// The hosted page of a payment.
import { parsePaymentId } from '#actors/core/ids.js';
import { SimulateRequest } from '#actors/core/schemas/payment.js';
import {
  answerPage,
  type CheckoutDeps,
  getCheckout,
  getCheckoutStatus,
  getChoice,
  getQrPng,
  getReceiptPng,
  postChoice,
  postSimulation,
  showApiError,
} from './handlers.js';
import { CheckoutStatus, ChooseMethodRequest } from './schema.js';
import { buildBodyOrFormSpec, defineOpenRoute, type Route } from '#gateway/routing/route.js';

const pageParams = {
  payment_id: { parse: (text: string) => parsePaymentId(text) ?? null, code: 'payment_not_found' },
} as const;
const params = { payment_id: { parse: parsePaymentId, code: 'payment_not_found' } } as const;

export const buildCheckoutRoutes = (deps: CheckoutDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'GET',
    path: '/checkout/{payment_id}',
    cpuUs: 2200,
    summary: 'The hosted page of a payment',
    description:
      'Send the customer here (`checkout_url`). Indonesian, or English by `Accept-Language`. ' +
      'Errors are pages for browsers, and error bodies for the rest.',
    params: pageParams,
    showApiError: (error, preferences) => showApiError(deps, error, preferences),
    limit: 'checkout',
    answers: { 200: null },
    errors: ['payment_not_found', 'dependency_unavailable'],
    handle: (request) => answerPage(deps, request, () => getCheckout(deps, request)),
  }),
  ...buildPartRoutes(deps),
  ...buildChoiceRoutes(deps),
  defineOpenRoute({
    method: 'POST',
    path: '/checkout/{payment_id}/simulate',
    cpuUs: 1500,
    summary: 'Simulate the outcome of a TEST payment on its hosted page',
    description: 'The buttons of the page send it. A LIVE payment is 404, like an unknown one.',
    params: pageParams,
    showApiError: (error, preferences) => showApiError(deps, error, preferences),
    body: buildBodyOrFormSpec(SimulateRequest),
    limit: 'checkout',
    answers: { 200: CheckoutStatus, 303: null },
    errors: [
      'payment_not_found',
      'state_conflict',
      'overloaded',
      'dependency_unavailable',
      'outcome_unknown',
    ],
    handle: (request) => answerPage(deps, request, () => postSimulation(deps, request)),
  }),
];

/** The page loads them besides its files. */
const buildPartRoutes = (deps: CheckoutDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'GET',
    path: '/checkout/{payment_id}/status',
    cpuUs: 450,
    summary: 'The status that the hosted page polls',
    description:
      'It is no proof of payment. A WebSocket at `/checkout/{payment_id}/live` sends the same text ' +
      'when it opens and on each change.',
    params,
    limit: 'checkout',
    answers: { 200: CheckoutStatus },
    errors: ['payment_not_found', 'dependency_unavailable'],
    handle: (request) => getCheckoutStatus(deps, request),
  }),
  defineOpenRoute({
    method: 'GET',
    path: '/checkout/{payment_id}/qr.png',
    cpuUs: 2000,
    summary: 'The QR code as a picture',
    description:
      'Browsers keep it for five minutes. The page adds its `revision` as a query, which is ignored, so that a new order ' +
      'has a new address.',
    params,
    limit: 'checkout',
    answers: { 200: null, 304: null },
    mediaType: 'image/png',
    errors: ['payment_not_found', 'dependency_unavailable'],
    handle: (request) => getQrPng(deps, request),
  }),
  defineOpenRoute({
    method: 'GET',
    path: '/checkout/{payment_id}/receipt.png',
    cpuUs: 2000,
    summary: 'The receipt of a paid payment as a picture',
    description: 'Indonesian, or English by `Accept-Language`.',
    params,
    limit: 'checkout',
    answers: { 200: null, 304: null },
    mediaType: 'image/png',
    errors: ['payment_not_found', 'dependency_unavailable'],
    handle: (request) => getReceiptPng(deps, request),
  }),
];

const buildChoiceRoutes = (deps: CheckoutDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'GET',
    path: '/checkout/{payment_id}/method',
    cpuUs: 700,
    summary: 'The page to choose a payment method',
    params: pageParams,
    showApiError: (error, preferences) => showApiError(deps, error, preferences),
    limit: 'checkout',
    answers: { 200: null, 303: null },
    errors: ['payment_not_found', 'dependency_unavailable'],
    handle: (request) => answerPage(deps, request, () => getChoice(deps, request)),
  }),
  defineOpenRoute({
    method: 'POST',
    path: '/checkout/{payment_id}/method',
    cpuUs: 1300,
    summary: 'Choose a payment method',
    description:
      'For payments whose method the merchant left open, or set to `VA`. ' +
      'A form returns 303 to the page of the payment, or a page with the error.',
    params: pageParams,
    showApiError: (error, preferences) => showApiError(deps, error, preferences),
    body: buildBodyOrFormSpec(ChooseMethodRequest),
    limit: 'checkout',
    answers: { 200: CheckoutStatus, 303: null },
    errors: [
      'payment_method_unavailable',
      'live_not_enabled',
      'payment_not_found',
      'payment_processing_failed',
      'state_conflict',
      'overloaded',
      'dependency_unavailable',
      'outcome_unknown',
    ],
    handle: (request) => answerPage(deps, request, () => postChoice(deps, request)),
  }),
];
