// Paths of administrators: the refunds of all merchants.
import { parsePaymentId, parseRefundId } from '#actors/core/ids.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { Refund } from '#actors/core/schemas/refund.js';
import type { ApprovalDeps } from '../approvals/propose.js';
import { Approval } from '../approvals/schema.js';
import { EndByHandRequest } from '../approvals/end-by-hand.js';
import { buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { buildTextBodySpec, defineSessionRoute } from '#gateway/routing/session-route.js';
import {
  AdminRefundRequest,
  type AdminRefundCreateDeps,
  createAdminRefund,
} from './refund-create.js';
import { type AdminRefundDeps, showRefund, showRefunds } from './refund-handlers.js';
import { AdminRefund, AdminRefundsQuery } from './refund-schema.js';
import { endOrPropose } from './refund-end.js';

const params = { refund_id: { parse: parseRefundId, code: 'refund_not_found' } } as const;
const paymentParams = { payment_id: { parse: parsePaymentId, code: 'payment_not_found' } } as const;
const REPEATS =
  'Repeats are idempotent; its operator task is resolved with it. A LIVE amount above the limit needs a second ' +
  'administrator: 202 with the approval.';
const DESCRIPTIONS = {
  complete:
    'For a refund that is `MANUAL_REQUIRED`, or without a result of its rail for six hours; or for a failed one that is `contradicted`: the rail made it, so the amount ' +
    `is taken from the balance again, also below zero, and \`payment.refunded\` is sent. ${REPEATS}`,
  fail:
    'For a refund that is `MANUAL_REQUIRED`, or without a result of its rail for six hours; or for a failed one that is `contradicted`: it was not made, so the amount is ' +
    `refundable again; \`external_reference\` must then differ from that of its failure. ${REPEATS}`,
} as const;
const READ = { permission: 'read_administration' } as const;
const DECIDE = { permission: 'decide_money' } as const;

export const buildAdminRefundRoutes = (
  deps: AdminRefundDeps & AdminRefundCreateDeps & ApprovalDeps,
): readonly Route[] => [
  buildCreateRoute(deps),
  defineSessionRoute({
    ...READ,
    method: 'GET',
    path: '/v1/admin/refunds',
    operationId: 'listAllRefunds',
    summary: 'List the refunds of all merchants',
    description: '`status=MANUAL_REQUIRED` lists the refunds to be paid by hand.',
    query: buildQuerySpec(AdminRefundsQuery),
    answers: { 200: buildPageSchema(AdminRefund) },
    handle: (request) => showRefunds(deps, request),
  }),
  defineSessionRoute({
    ...READ,
    method: 'GET',
    path: '/v1/admin/refunds/{refund_id}',
    operationId: 'getAdminRefund',
    summary: 'Show a refund of any merchant',
    description: 'With its rail and the reference of the transfer that an administrator named.',
    params,
    answers: { 200: AdminRefund },
    handle: (request) => showRefund(deps, request),
  }),
  ...(['complete', 'fail'] as const).map((verb) =>
    defineSessionRoute({
      ...DECIDE,
      method: 'POST',
      path: `/v1/admin/refunds/{refund_id}/${verb}`,
      operationId: `${verb}Refund`,
      summary: verb === 'complete' ? 'Complete a refund by hand' : 'Fail a refund by hand',
      description: DESCRIPTIONS[verb],
      params,
      body: buildTextBodySpec(EndByHandRequest, ['external_reference', 'reason']),
      answers: { 200: Refund, 202: Approval },
      errors: ['card_data_refused', 'state_conflict', 'outcome_unknown'],
      handle: (request) => endOrPropose(deps, request, `${verb}_refund`),
    }),
  ),
];

const buildCreateRoute = (deps: AdminRefundCreateDeps): Route =>
  defineSessionRoute({
    ...DECIDE,
    method: 'POST',
    path: '/v1/admin/payments/{payment_id}/refunds',
    operationId: 'createAdminRefund',
    summary: 'Refund a payment for its merchant',
    description:
      'Also while the merchant is suspended. The refund is an ordinary one: the merchant sees it, its balance pays ' +
      'it, and webhooks are sent. A LIVE payment requires an `Idempotency-Key`.',
    idempotent: true,
    params: paymentParams,
    body: buildTextBodySpec(AdminRefundRequest, ['reason']),
    answers: { 201: Refund, 200: Refund },
    errors: [
      'amount_invalid',
      'amount_out_of_range',
      'card_data_refused',
      'state_conflict',
      'refund_exceeds_payment',
      'outcome_unknown',
    ],
    handle: (request) => createAdminRefund(deps, request),
  });
