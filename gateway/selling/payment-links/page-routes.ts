// The page of a payment link.
import { answerPage, showApiError } from '../checkout/handlers.js';
import { UseLinkRequest } from './page-form.js';
import type { PayablePageDeps } from '../checkout/payable-page.js';
import { getLink, useLink } from './page-handlers.js';
import { buildBodyOrFormSpec, defineOpenRoute, type Route } from '#gateway/routing/route.js';

const SLUG = /^[0-9a-z]{16}$/;
const params = {
  slug: {
    parse: (text: string): string | null => (SLUG.test(text) ? text : null),
    code: 'payment_link_not_found',
  },
} as const;

export const buildLinkPageRoutes = (deps: PayablePageDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'GET',
    path: '/pay/{slug}',
    cpuUs: 400,
    summary: 'The page of a payment link',
    description:
      'Indonesian, or English by `Accept-Language`. Errors are pages for browsers, and error bodies for the rest.',
    params,
    showApiError: (error, preferences) => showApiError(deps, error, preferences),
    limit: 'checkout',
    answers: { 200: null },
    errors: ['payment_link_not_found', 'dependency_unavailable'],
    handle: (request) => answerPage(deps, request, () => getLink(deps, request)),
  }),
  defineOpenRoute({
    method: 'POST',
    path: '/pay/{slug}',
    cpuUs: 1600,
    summary: 'Pay by a payment link',
    description:
      'The form of the page sends it. It leads to the hosted page of a payment; the same token and amount lead to the ' +
      'same payment. 409 when the link is switched off, has expired or is used up.',
    params,
    showApiError: (error, preferences) => showApiError(deps, error, preferences),
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
    handle: (request) => answerPage(deps, request, () => useLink(deps, request)),
  }),
];
