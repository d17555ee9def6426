// Routes to erase customer data, for owners of merchants and for administrators. The audit log records the user and
// the field that named the customer, never its value.
import { parseErasureId, parseMerchantId } from '#actors/core/ids.js';
import { findCardInPhone } from '#actors/core/requests/validation.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { buildActor } from '#gateway/auth/actor.js';
import { requestErasure, requestOwnErasure, showErasure, showErasures } from './handlers.js';
import * as wire from './schema.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { buildQuerySpec, type Route } from '#gateway/routing/route.js';
import {
  buildTextBodySpec,
  defineMerchantRoute,
  defineSessionRoute,
} from '#gateway/routing/session-route.js';

const params = { erasure_id: { parse: parseErasureId, code: 'erasure_not_found' } } as const;
const merchantParams = {
  merchant_id: { parse: parseMerchantId, code: 'merchant_not_found' },
} as const;
const PATH = '/v1/merchants/me/erasures';
const ADMIN_PATH = '/v1/admin/merchants/{merchant_id}/erasures';
const ERASE = { permission: 'erase_customers' } as const;
const REVIEW = { permission: 'review_merchants' } as const;
const ERASES =
  'Erases all personal data of the customer: names, addresses, phone and account numbers, descriptions, metadata, ' +
  'reasons and logs. Amounts, times, statuses and ids stay. Open payments, payouts and invoices are erased once they ' +
  'are closed. An erasure cannot be undone. The owners get a mail about a LIVE one.';
const TEXTS = ['reference_id', 'customer_email'] as const;
const CHECKS = { customer_phone: findCardInPhone } as const;
const SUBJECT_ERRORS = [
  'card_data_refused',
  'payment_not_found',
  'payout_not_found',
  'invoice_not_found',
] as const;

export const buildErasureRoutes = (deps: AccountDeps): readonly Route[] => [
  defineMerchantRoute({
    ...ERASE,
    method: 'GET',
    path: PATH,
    operationId: 'listErasures',
    summary: 'List the erasures',
    description: 'Newest first.',
    query: buildQuerySpec(wire.ErasuresQuery),
    answers: { 200: buildPageSchema(wire.Erasure) },
    handle: (request) => showErasures(deps, request),
  }),
  defineMerchantRoute({
    ...ERASE,
    method: 'POST',
    path: PATH,
    operationId: 'eraseCustomer',
    summary: 'Erase a customer',
    description: `${ERASES} For LIVE it needs \`totp_code\` (403 with that \`param\` without it).`,
    body: buildTextBodySpec(wire.StepUpEraseRequest, TEXTS, CHECKS),
    answers: { 202: wire.Erasure },
    errors: [...SUBJECT_ERRORS, 'rate_limited'],
    handle: (request) => requestOwnErasure(deps, request),
  }),
  defineMerchantRoute({
    ...ERASE,
    method: 'GET',
    path: `${PATH}/{erasure_id}`,
    operationId: 'getErasure',
    summary: 'Show an erasure',
    description: 'With the number of objects found and erased.',
    params,
    answers: { 200: wire.Erasure },
    handle: ({ session, params: { erasure_id: id } }) =>
      showErasure(deps, { id, merchantId: session.merchantId }),
  }),
];

export const buildAdminErasureRoutes = (deps: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    ...REVIEW,
    method: 'POST',
    path: ADMIN_PATH,
    operationId: 'eraseMerchantCustomer',
    summary: 'Erase a customer of a merchant',
    description: ERASES,
    body: buildTextBodySpec(wire.EraseRequest, TEXTS, CHECKS),
    answers: { 202: wire.Erasure },
    errors: SUBJECT_ERRORS,
    auditedFields: ['environment', 'with_reference', 'payment_id', 'payout_id', 'invoice_id'],
    params: merchantParams,
    handle: (request) => {
      const { params, body } = request;
      const actor = buildActor(request);
      return requestErasure(deps, { actor, merchantId: params.merchant_id, body, maker: null });
    },
  }),
  defineSessionRoute({
    ...REVIEW,
    method: 'GET',
    path: `${ADMIN_PATH}/{erasure_id}`,
    operationId: 'getMerchantErasure',
    summary: 'Show an erasure of a merchant',
    description: 'With the number of objects found and erased.',
    params: { ...merchantParams, ...params },
    answers: { 200: wire.Erasure },
    handle: ({ params: { erasure_id: id, merchant_id: merchantId } }) =>
      showErasure(deps, { id, merchantId }),
  }),
];
