// Payment links.
import { parsePaymentLinkId } from '#actors/core/ids.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { changeLink, type LinkDeps, makeLink, showLink, showLinks } from './handlers.js';
import * as wire from './schema.js';
import { buildQuerySpec, type Route } from '../routing/route.js';
import { buildTextBodySpec, defineMerchantRoute } from '../routing/session-route.js';

const PATH = '/v1/merchants/me/payment-links';
const params = {
  payment_link_id: { parse: parsePaymentLinkId, code: 'payment_link_not_found' },
} as const;
const READ = { permission: 'read_payment_links' } as const;
const CHANGE = { permission: 'change_payment_links' } as const;
const TERMS_ERRORS = ['card_data_refused', 'url_invalid'] as const;

export const buildPaymentLinkRoutes = (parts: LinkDeps): readonly Route[] => [
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: PATH,
    summary: 'List the payment links',
    query: buildQuerySpec(wire.LinksQuery),
    answers: { 200: buildPageSchema(wire.PaymentLink) },
    handle: (request) => showLinks(parts, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: PATH,
    summary: 'Make a payment link',
    description:
      'With `amount` everybody pays the same; without, the customer chooses an amount from `min_amount` to `max_amount`.',
    body: buildTextBodySpec(wire.CreateLinkRequest, wire.LINK_TEXTS),
    answers: { 201: wire.PaymentLink },
    errors: [...TERMS_ERRORS, 'amount_out_of_range', 'currency_unsupported'],
    handle: (request) => makeLink(parts, request),
  }),
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/{payment_link_id}`,
    summary: 'Show a payment link',
    params,
    answers: { 200: wire.PaymentLink },
    handle: (request) => showLink(parts, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'PATCH',
    path: `${PATH}/{payment_link_id}`,
    summary: 'Change a payment link',
    description:
      'What is left out stays; null clears. It counts for the next use. The price stays as it was made.',
    params,
    body: buildTextBodySpec(wire.ChangeLinkRequest, wire.LINK_TEXTS),
    answers: { 200: wire.PaymentLink },
    errors: TERMS_ERRORS,
    handle: (request) => changeLink(parts, request),
  }),
];
