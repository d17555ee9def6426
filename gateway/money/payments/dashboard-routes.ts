// Routes of a merchant's payments and events for its users. They share the handlers of keys.
import { parsePaymentId } from '#actors/core/ids.js';
import { EventEnvelope } from '#actors/core/schemas/event.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { Payment } from '#actors/core/schemas/payment.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { buildTenantRequest } from '#gateway/auth/tenant-request.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { showList, type TransactionDeps } from '#gateway/lists/show-list.js';
import { buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { EnvironmentQuery } from '#gateway/routing/schema-parts.js';
import { defineMerchantRoute } from '#gateway/routing/session-route.js';
import { cancelMerchantPayment } from './dashboard-cancel.js';
import { EventsQuery, PaymentsQuery } from './dashboard-schema.js';
import { createEventListing, listPaymentEvents } from './events.js';
import { getPayment } from './handlers.js';
import { createPaymentListing } from './list.js';
import { PaymentSummary, showPaymentSummary, SummaryQuery } from './payment-summary.js';

type Deps = ApiDeps & AccountDeps & TransactionDeps;

const PATH = '/v1/merchants/me';
const PAYMENTS = '/v1/merchants/me/payments';
const LIST = { permission: 'read_payments', method: 'GET', hasCsv: true } as const;
const ERRORS = ['overloaded', 'card_data_refused'] as const;
const CSV = 'With `Accept: text/csv` the whole matching list is sent as a file.';
const paymentParams = {
  payment_id: { parse: parsePaymentId, code: 'payment_not_found' },
} as const;
const query = buildQuerySpec(EnvironmentQuery);

export const buildDashboardPaymentRoutes = (deps: Deps): readonly Route[] => [
  ...buildListRoutes(deps),
  ...buildPaymentRoutes(deps),
];

const buildListRoutes = (deps: TransactionDeps): readonly Route[] => [
  defineMerchantRoute({
    ...LIST,
    path: `${PATH}/payments`,
    operationId: 'listMerchantPayments',
    summary: 'List payments of the merchant',
    description: CSV,
    query: buildQuerySpec(PaymentsQuery),
    answers: { 200: buildPageSchema(Payment) },
    errors: ERRORS,
    handle: (request) => showList(deps, request, { list: 'payments', open: createPaymentListing }),
  }),
  defineMerchantRoute({
    permission: 'read_payments',
    method: 'GET',
    path: `${PATH}/payment-summary`,
    operationId: 'summarizeMerchantPayments',
    summary: 'Count and sum the payments that match a filter',
    description:
      'By status, with the filters of the list of payments. The work is bounded: `complete` is false where there may be more.',
    query: buildQuerySpec(SummaryQuery),
    answers: { 200: PaymentSummary },
    errors: ERRORS,
    handle: (request) => showPaymentSummary(deps, request),
  }),
  defineMerchantRoute({
    ...LIST,
    path: `${PATH}/events`,
    operationId: 'listMerchantEvents',
    summary: 'List events of the merchant',
    description: CSV,
    query: buildQuerySpec(EventsQuery),
    answers: { 200: buildPageSchema(EventEnvelope) },
    errors: ['overloaded'],
    handle: (request) => showList(deps, request, { list: 'events', open: createEventListing }),
  }),
];

const buildPaymentRoutes = (deps: Deps): readonly Route[] => [
  defineMerchantRoute({
    permission: 'read_payments',
    method: 'GET',
    path: `${PAYMENTS}/{payment_id}`,
    operationId: 'getMerchantPayment',
    summary: 'Show a payment of the merchant',
    description: 'As an API key shows it.',
    params: paymentParams,
    query,
    answers: { 200: Payment },
    handle: (request) => getPayment(deps, buildTenantRequest(request)),
  }),
  defineMerchantRoute({
    permission: 'read_payments',
    method: 'GET',
    path: `${PAYMENTS}/{payment_id}/events`,
    operationId: 'listMerchantPaymentEvents',
    summary: 'List the events of a payment of the merchant, oldest first',
    description:
      'All of them on one page: a payment has few. `listMerchantDeliveries` shows their deliveries.',
    params: paymentParams,
    query,
    answers: { 200: buildPageSchema(EventEnvelope) },
    handle: (request) => listPaymentEvents(deps, buildTenantRequest(request)),
  }),
  defineMerchantRoute({
    permission: 'change_payments',
    method: 'POST',
    path: `${PAYMENTS}/{payment_id}/cancel`,
    operationId: 'cancelMerchantPayment',
    summary: 'Cancel a payment of the merchant',
    description: 'As `cancelPayment`: only while it is `pending`. Repeats are idempotent.',
    params: paymentParams,
    query,
    answers: { 200: Payment },
    errors: ['state_conflict', 'outcome_unknown'],
    handle: (request) => cancelMerchantPayment(deps, request),
  }),
];
