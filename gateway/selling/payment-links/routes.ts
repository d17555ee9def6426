// Payment links.
import { parsePaymentLinkId } from '#actors/core/ids.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { changeLink, type LinkDeps, makeLink, showLink } from './handlers.js';
import { showLinks } from './list.js';
import * as wire from './schema.js';
import { buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { buildTextBodySpec, defineMerchantRoute } from '#gateway/routing/session-route.js';

const PATH = '/v1/merchants/me/payment-links';
const params = {
  payment_link_id: { parse: parsePaymentLinkId, code: 'payment_link_not_found' },
} as const;
const READ = { permission: 'read_payment_links' } as const;
const CHANGE = { permission: 'change_payment_links' } as const;
const TERMS_ERRORS = ['card_data_refused', 'url_invalid'] as const;

export const buildPaymentLinkRoutes = (deps: LinkDeps): readonly Route[] => [
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: PATH,
    operationId: 'listPaymentLinks',
    summary: 'List the payment links',
    description: 'Newest first. With `Accept: text/csv` all matching links are sent as a file.',
    hasCsv: true,
    query: buildQuerySpec(wire.LinksQuery),
    answers: { 200: buildPageSchema(wire.PaymentLink) },
    errors: ['overloaded'],
    handle: (request) => showLinks(deps, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: PATH,
    operationId: 'createPaymentLink',
    summary: 'Create a payment link',
    description:
      'With `amount` every customer pays the same; without it the customer chooses from `min_amount` to `max_amount`.',
    body: buildTextBodySpec(wire.CreateLinkRequest, wire.LINK_TEXTS),
    answers: { 201: wire.PaymentLink },
    errors: [...TERMS_ERRORS, 'amount_out_of_range', 'currency_unsupported'],
    handle: (request) => makeLink(deps, request),
  }),
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/{payment_link_id}`,
    operationId: 'getPaymentLink',
    summary: 'Show a payment link',
    description: 'With the number of its uses.',
    params,
    answers: { 200: wire.PaymentLink },
    handle: (request) => showLink(deps, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'PATCH',
    path: `${PATH}/{payment_link_id}`,
    operationId: 'updatePaymentLink',
    summary: 'Change a payment link',
    description:
      'Absent fields stay; `null` clears `description`, `max_uses`, `expires_at` and `success_url`. The change applies to the ' +
      'next use. The price cannot change.',
    params,
    body: buildTextBodySpec(wire.ChangeLinkRequest, wire.LINK_TEXTS),
    answers: { 200: wire.PaymentLink },
    errors: TERMS_ERRORS,
    handle: (request) => changeLink(deps, request),
  }),
];
