// The page of an invoice.
import { parseInvoiceId } from '#actors/core/ids.js';
import { answerPage, showApiError } from '../checkout/handlers.js';
import type { PayablePageDeps } from '../checkout/payable-page.js';
import { getInvoice, payInvoice } from './page-handlers.js';
import { defineOpenRoute, type Route } from '#gateway/routing/route.js';

const params = {
  invoice_id: { parse: (text: string) => parseInvoiceId(text) ?? null, code: 'invoice_not_found' },
} as const;

export const buildInvoicePageRoutes = (deps: PayablePageDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'GET',
    path: '/invoice/{invoice_id}',
    cpuUs: 700,
    summary: 'The page of an invoice',
    description:
      'It can be printed. Indonesian, or English by `Accept-Language`. Errors are pages for browsers, and error ' +
      'bodies for the rest.',
    params,
    showApiError: (error, preferences) => showApiError(deps, error, preferences),
    limit: 'checkout',
    answers: { 200: null },
    errors: ['invoice_not_found', 'dependency_unavailable'],
    handle: (request) => answerPage(deps, request, () => getInvoice(deps, request)),
  }),
  defineOpenRoute({
    method: 'POST',
    path: '/invoice/{invoice_id}/payment',
    cpuUs: 1700,
    summary: 'Pay an invoice',
    description:
      'The button of the page sends it. It leads to the hosted page of the open payment, or of a new one after the ' +
      'last has failed or expired; or back to an invoice that needs no payment.',
    params,
    showApiError: (error, preferences) => showApiError(deps, error, preferences),
    limit: 'checkout',
    answers: { 303: null },
    errors: [
      'invoice_not_found',
      'live_not_enabled',
      'overloaded',
      'dependency_unavailable',
      'outcome_unknown',
    ],
    handle: (request) => answerPage(deps, request, () => payInvoice(deps, request)),
  }),
];
