// Routes of a merchant's payments, refunds, payouts, events and balance, for its users.
import { Balance } from '#actors/core/schemas/balance.js';
import { EventEnvelope } from '#actors/core/schemas/event.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { Payment } from '#actors/core/schemas/payment.js';
import { Payout } from '#actors/core/schemas/payout.js';
import { Refund } from '#actors/core/schemas/refund.js';
import { createEventListing } from '../payments/events.js';
import { createPaymentListing } from '../payments/list.js';
import { createPayoutListing } from '../payouts/list.js';
import { createRefundListing } from '../refunds/list.js';
import { showBalance, showList, type TransactionDeps } from './transaction-lists.js';
import * as wire from './transaction-schema.js';
import { sendStatement } from './statement.js';
import { buildQuerySpec, type Route } from '../routing/route.js';
import { defineMerchantRoute } from '../routing/session-route.js';

const PATH = '/v1/merchants/me';
const LIST = { permission: 'read_payments', method: 'GET', hasCsv: true } as const;
const ERRORS = ['overloaded', 'card_data_refused'] as const;
const CSV = 'With `Accept: text/csv` the whole matching list is sent as a file.';

export const buildTransactionRoutes = (deps: TransactionDeps): readonly Route[] => [
  ...buildListRoutes(deps),
  ...buildBalanceRoutes(deps),
];

const buildListRoutes = (deps: TransactionDeps): readonly Route[] => [
  defineMerchantRoute({
    ...LIST,
    path: `${PATH}/payments`,
    summary: 'List payments of the merchant',
    description: CSV,
    query: buildQuerySpec(wire.PaymentsQuery),
    answers: { 200: buildPageSchema(Payment) },
    errors: ERRORS,
    handle: (request) => showList(deps, request, createPaymentListing),
  }),
  defineMerchantRoute({
    ...LIST,
    path: `${PATH}/refunds`,
    summary: 'List refunds of the merchant',
    description: CSV,
    query: buildQuerySpec(wire.RefundsQuery),
    answers: { 200: buildPageSchema(Refund) },
    errors: ['overloaded'],
    handle: (request) => showList(deps, request, createRefundListing),
  }),
  defineMerchantRoute({
    ...LIST,
    permission: 'read_payouts',
    path: `${PATH}/payouts`,
    summary: 'List payouts of the merchant',
    description: CSV,
    query: buildQuerySpec(wire.PayoutsQuery),
    answers: { 200: buildPageSchema(Payout) },
    errors: ERRORS,
    handle: (request) => showList(deps, request, createPayoutListing),
  }),
  defineMerchantRoute({
    ...LIST,
    path: `${PATH}/events`,
    summary: 'List events of the merchant',
    description: CSV,
    query: buildQuerySpec(wire.EventsQuery),
    answers: { 200: buildPageSchema(EventEnvelope) },
    errors: ['overloaded'],
    handle: (request) => showList(deps, request, createEventListing),
  }),
];

const buildBalanceRoutes = (deps: TransactionDeps): readonly Route[] => [
  defineMerchantRoute({
    ...LIST,
    path: `${PATH}/balance`,
    summary: 'Show the balance of the merchant',
    query: buildQuerySpec(wire.BalanceQuery),
    answers: { 200: Balance },
    handle: (request) => showBalance(deps, request),
  }),
  defineMerchantRoute({
    method: 'GET',
    permission: 'read_payments',
    path: `${PATH}/balance/statement`,
    summary: 'Download the statement of the balance',
    description:
      'A CSV file with every movement of the accounts of an environment between two times, and with opening and ' +
      'closing balances. Movements of the last few seconds may be missing.',
    query: buildQuerySpec(wire.StatementQuery),
    answers: { 200: null },
    mediaType: 'text/csv',
    errors: ['overloaded'],
    handle: (request) => sendStatement(deps, request),
  }),
];
