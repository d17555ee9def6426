// The page of a payment link.
import { showApiError } from '../checkout/handlers.js';
import { UseLinkRequest } from './page-form.js';
import type { PayablePageDeps } from '../checkout/payable-page.js';
import { getLink, useLink } from './page-handlers.js';
import { buildBodyOrFormSpec, defineOpenRoute, type Route } from '../routing/route.js';

const SLUG = /^[0-9a-z]{16}$/;
const params = {
  slug: {
    parse: (text: string): string | null => (SLUG.test(text) ? text : null),
    code: 'payment_link_not_found',
  },
} as const;

export const buildLinkPageRoutes = (parts: PayablePageDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'GET',
    path: '/pay/{slug}',
    summary: 'The page of a payment link',
    description:
      'Indonesian, or English by `Accept-Language`. Errors are pages for browsers, and error bodies for the rest.',
    params,
    showApiError: (refusal, wishes) => showApiError(parts, refusal, wishes),
    limit: 'checkout',
    answers: { 200: null },
    errors: ['payment_link_not_found', 'dependency_unavailable'],
    handle: (request) => getLink(parts, request),
  }),
  defineOpenRoute({
    method: 'POST',
    path: '/pay/{slug}',
    summary: 'Pay by a payment link',
    description:
      'What the form of the page sends. Leads to the hosted page of a payment; the same token and amount lead to the ' +
      'same payment. 409 when the link is switched off, has ended or is used up.',
    params,
    showApiError: (refusal, wishes) => showApiError(parts, refusal, wishes),
    body: buildBodyOrFormSpec(UseLinkRequest),
    limit: 'checkout',
    answers: { 303: null },
    errors: [
      'amount_invalid',
      'amount_out_of_range',
      'card_data_refused',
      'live_not_enabled',
      'payment_link_not_found',
      'state_conflict',
      'overloaded',
      'dependency_unavailable',
      'outcome_unknown',
    ],
    handle: (request) => useLink(parts, request),
  }),
];
