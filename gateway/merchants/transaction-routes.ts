// Routes of a merchant's payments, refunds, payouts and events, for its users.
import { EventEnvelope } from '#actors/core/schemas/event.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { Payment } from '#actors/core/schemas/payment.js';
import { Payout } from '#actors/core/schemas/payout.js';
import { Refund } from '#actors/core/schemas/refund.js';
import { createEventListing } from '../payments/events.js';
import { createPaymentListing } from '../payments/list.js';
import { createPayoutListing } from '../payouts/list.js';
import { createRefundListing } from '../refunds/list.js';
import { PaymentSummary, showPaymentSummary, SummaryQuery } from './payment-summary.js';
import { showList, type TransactionDeps } from './transaction-lists.js';
import * as wire from './transaction-schema.js';
import { buildQuerySpec, type Route } from '../routing/route.js';
import { defineMerchantRoute } from '../routing/session-route.js';

const PATH = '/v1/merchants/me';
const LIST = { permission: 'read_payments', method: 'GET', hasCsv: true } as const;
const ERRORS = ['overloaded', 'card_data_refused'] as const;
const CSV = 'With `Accept: text/csv` the whole matching list is sent as a file.';

export const buildTransactionRoutes = (deps: TransactionDeps): readonly Route[] => [
  defineMerchantRoute({
    ...LIST,
    path: `${PATH}/payments`,
    operationId: 'listMerchantPayments',
    summary: 'List payments of the merchant',
    description: CSV,
    query: buildQuerySpec(wire.PaymentsQuery),
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
    path: `${PATH}/refunds`,
    operationId: 'listMerchantRefunds',
    summary: 'List refunds of the merchant',
    description: CSV,
    query: buildQuerySpec(wire.RefundsQuery),
    answers: { 200: buildPageSchema(Refund) },
    errors: ['overloaded'],
    handle: (request) => showList(deps, request, { list: 'refunds', open: createRefundListing }),
  }),
  defineMerchantRoute({
    ...LIST,
    permission: 'read_payouts',
    path: `${PATH}/payouts`,
    operationId: 'listMerchantPayouts',
    summary: 'List payouts of the merchant',
    description: CSV,
    query: buildQuerySpec(wire.PayoutsQuery),
    answers: { 200: buildPageSchema(Payout) },
    errors: ERRORS,
    handle: (request) => showList(deps, request, { list: 'payouts', open: createPayoutListing }),
  }),
  defineMerchantRoute({
    ...LIST,
    path: `${PATH}/events`,
    operationId: 'listMerchantEvents',
    summary: 'List events of the merchant',
    description: CSV,
    query: buildQuerySpec(wire.EventsQuery),
    answers: { 200: buildPageSchema(EventEnvelope) },
    errors: ['overloaded'],
    handle: (request) => showList(deps, request, { list: 'events', open: createEventListing }),
  }),
];
