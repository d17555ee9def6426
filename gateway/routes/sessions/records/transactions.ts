// What a merchant's environments hold, for its users (API.md, section 4).
import { Balance } from '#actors/core/schemas/balance.js';
import { EventEnvelope } from '#actors/core/schemas/event.js';
import { listOf } from '#actors/core/schemas/fields.js';
import { Payment } from '#actors/core/schemas/payment.js';
import { Payout } from '#actors/core/schemas/payout.js';
import { Refund } from '#actors/core/schemas/refund.js';
import { openEvents } from '#gateway/api/lists/events.js';
import { openPayments } from '#gateway/api/lists/payments.js';
import { openPayouts } from '#gateway/api/lists/payouts.js';
import { openRefunds } from '#gateway/api/lists/refunds.js';
import {
  showBalance,
  showList,
  type TransactionParts,
} from '#gateway/merchant/transactions/lists.js';
import * as wire from '#gateway/merchant/transactions/schema.js';
import { sendStatement } from '#gateway/merchant/transactions/statement.js';
import { queryOf, type Route } from '#gateway/routes/route.js';
import { merchantRoute } from '../session-route.js';

const PATH = '/v1/merchants/me';
const LIST = { permission: 'read_payments', method: 'GET', hasCsv: true } as const;
const ERRORS = ['overloaded', 'card_data_refused'] as const;
const CSV = 'With `Accept: text/csv` the whole filtered list is sent as a file.';

export const transactionRoutes = (parts: TransactionParts): readonly Route[] => [
  ...listRoutes(parts),
  ...balanceRoutes(parts),
];

const listRoutes = (parts: TransactionParts): readonly Route[] => [
  merchantRoute({
    ...LIST,
    path: `${PATH}/payments`,
    summary: 'List payments of the merchant',
    description: CSV,
    query: queryOf(wire.PaymentsQuery),
    answers: { 200: listOf(Payment) },
    errors: ERRORS,
    handle: (request) => showList(parts, request, openPayments),
  }),
  merchantRoute({
    ...LIST,
    path: `${PATH}/refunds`,
    summary: 'List refunds of the merchant',
    description: CSV,
    query: queryOf(wire.RefundsQuery),
    answers: { 200: listOf(Refund) },
    errors: ['overloaded'],
    handle: (request) => showList(parts, request, openRefunds),
  }),
  merchantRoute({
    ...LIST,
    permission: 'read_payouts',
    path: `${PATH}/payouts`,
    summary: 'List payouts of the merchant',
    description: CSV,
    query: queryOf(wire.PayoutsQuery),
    answers: { 200: listOf(Payout) },
    errors: ERRORS,
    handle: (request) => showList(parts, request, openPayouts),
  }),
  merchantRoute({
    ...LIST,
    path: `${PATH}/events`,
    summary: 'List events of the merchant',
    description: CSV,
    query: queryOf(wire.EventsQuery),
    answers: { 200: listOf(EventEnvelope) },
    errors: ['overloaded'],
    handle: (request) => showList(parts, request, openEvents),
  }),
];

const balanceRoutes = (parts: TransactionParts): readonly Route[] => [
  merchantRoute({
    ...LIST,
    path: `${PATH}/balance`,
    summary: 'Show the balance of the merchant',
    query: queryOf(wire.BalanceQuery),
    answers: { 200: Balance },
    handle: (request) => showBalance(parts, request),
  }),
  merchantRoute({
    method: 'GET',
    permission: 'read_payments',
    path: `${PATH}/balance/statement`,
    summary: 'Download the statement of the balance',
    description:
      'Every movement of the accounts of an environment between two times, with opening and closing balances, as CSV. ' +
      'What ended a few seconds ago may still be written.',
    query: queryOf(wire.StatementQuery),
    answers: { 200: null },
    mediaType: 'text/csv',
    errors: ['overloaded'],
    handle: (request) => sendStatement(parts, request),
  }),
];
