// Routes of one payment, refund or payout of a merchant, and of what its users change. They share the handlers of keys.
import { parsePaymentId, parsePayoutId, parseRefundId } from '#actors/core/ids.js';
import type { PayoutRequest } from '#actors/core/payout/state.js';
import {
  parsePayoutRequest,
  type PayoutRequestError,
} from '#actors/core/requests/create-payout.js';
import {
  parseRefundRequest,
  type RefundRequest,
  type RefundRequestError,
} from '#actors/core/requests/create-refund.js';
import { EventEnvelope } from '#actors/core/schemas/event.js';
import { buildListSchema, buildPageSchema } from '#actors/core/schemas/fields.js';
import { Payment } from '#actors/core/schemas/payment.js';
import { CreatePayoutRequest, Payout, PayoutBank } from '#actors/core/schemas/payout.js';
import { CreateRefundRequest, Refund } from '#actors/core/schemas/refund.js';
import { listPaymentEvents } from '../payments/events.js';
import { getPayment } from '../payments/handlers.js';
import { getPayout } from '../payouts/list.js';
import { PAYOUT_BANK_LIST, PAYOUT_ERRORS } from '../payouts/routes.js';
import { getRefund } from '../refunds/list.js';
import { REFUND_ERRORS } from '../refunds/routes.js';
import { buildQuerySpec, type Route } from '../routing/route.js';
import { defineMerchantRoute } from '../routing/session-route.js';
import {
  cancelMerchantPayment,
  cancelMerchantPayout,
  createMerchantPayout,
  createMerchantRefund,
  type MoneyDeps,
} from './money-changes.js';
import { buildOwnerRequest } from './owner-request.js';
import { buildSteppedBodySpec } from './stepped-body.js';
import { EnvironmentQuery } from './transaction-schema.js';

const PAYMENTS = '/v1/merchants/me/payments';
const REFUNDS = '/v1/merchants/me/refunds';
const PAYOUTS = '/v1/merchants/me/payouts';
const paymentParams = {
  payment_id: { parse: parsePaymentId, code: 'payment_not_found' },
} as const;
const refundParams = { refund_id: { parse: parseRefundId, code: 'refund_not_found' } } as const;
const payoutParams = { payout_id: { parse: parsePayoutId, code: 'payout_not_found' } } as const;
const query = buildQuerySpec(EnvironmentQuery);
const CODE_IN_LIVE =
  'In LIVE it needs an `Idempotency-Key` and `totp_code` (403 with that `param` without it).';

export const buildMoneyRoutes = (deps: MoneyDeps): readonly Route[] => [
  ...buildPaymentRoutes(deps),
  ...buildRefundRoutes(deps),
  ...buildPayoutRoutes(deps),
];

const buildPaymentRoutes = (deps: MoneyDeps): readonly Route[] => [
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
    handle: (request) => getPayment(deps, buildOwnerRequest(request)),
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
    handle: (request) => listPaymentEvents(deps, buildOwnerRequest(request)),
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

const buildRefundRoutes = (deps: MoneyDeps): readonly Route[] => [
  defineMerchantRoute({
    permission: 'change_payments',
    method: 'POST',
    path: REFUNDS,
    operationId: 'createMerchantRefund',
    summary: 'Refund a payment of the merchant',
    description: `As \`createRefund\`: without \`amount\` it refunds all that is left. ${CODE_IN_LIVE}`,
    idempotent: true,
    query,
    body: buildSteppedBodySpec<RefundRequest, RefundRequestError>(
      CreateRefundRequest,
      'CreateMerchantRefundRequest',
      parseRefundRequest,
    ),
    answers: { 201: Refund, 200: Refund },
    errors: REFUND_ERRORS,
    handle: (request) => createMerchantRefund(deps, request),
  }),
  defineMerchantRoute({
    permission: 'read_payments',
    method: 'GET',
    path: `${REFUNDS}/{refund_id}`,
    operationId: 'getMerchantRefund',
    summary: 'Show a refund of the merchant',
    description: 'As an API key shows it.',
    params: refundParams,
    query,
    answers: { 200: Refund },
    handle: (request) => getRefund(deps, buildOwnerRequest(request)),
  }),
];

const buildPayoutRoutes = (deps: MoneyDeps): readonly Route[] => [
  defineMerchantRoute({
    permission: 'change_payouts',
    method: 'POST',
    path: PAYOUTS,
    operationId: 'createMerchantPayout',
    summary: 'Create a payout of the merchant',
    description: `As \`createPayout\`: at most the available balance. ${CODE_IN_LIVE}`,
    idempotent: true,
    query,
    body: buildSteppedBodySpec<PayoutRequest, PayoutRequestError>(
      CreatePayoutRequest,
      'CreateMerchantPayoutRequest',
      parsePayoutRequest,
    ),
    answers: { 201: Payout, 200: Payout },
    errors: PAYOUT_ERRORS,
    handle: (request) => createMerchantPayout(deps, request),
  }),
  defineMerchantRoute({
    permission: 'read_payouts',
    method: 'GET',
    path: `${PAYOUTS}/{payout_id}`,
    operationId: 'getMerchantPayout',
    summary: 'Show a payout of the merchant',
    description: 'As an API key shows it.',
    params: payoutParams,
    query,
    answers: { 200: Payout },
    handle: (request) => getPayout(deps, buildOwnerRequest(request)),
  }),
  defineMerchantRoute({
    permission: 'change_payouts',
    method: 'POST',
    path: `${PAYOUTS}/{payout_id}/cancel`,
    operationId: 'cancelMerchantPayout',
    summary: 'Cancel a payout of the merchant',
    description: 'As `cancelPayout`: only while it is `PENDING`. Repeats are idempotent.',
    params: payoutParams,
    query,
    answers: { 200: Payout },
    errors: ['state_conflict'],
    handle: (request) => cancelMerchantPayout(deps, request),
  }),
  defineMerchantRoute({
    permission: 'read_merchant',
    method: 'GET',
    path: '/v1/merchants/me/payout-banks',
    operationId: 'listMerchantPayoutBanks',
    summary: 'List the banks for payouts',
    description: 'The codes that `bank_code` of a payout takes, with the names of the banks.',
    answers: { 200: buildListSchema(PayoutBank) },
    handle: () => PAYOUT_BANK_LIST,
  }),
];
