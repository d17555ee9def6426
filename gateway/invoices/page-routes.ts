// The page of an invoice.
import { parseInvoiceId } from '#actors/core/ids.js';
import { showApiError } from '../checkout/handlers.js';
import type { PayablePageDeps } from '../checkout/payable-page.js';
import { getInvoice, payInvoice } from './page-handlers.js';
import { defineOpenRoute, type Route } from '../routing/route.js';

const params = {
  invoice_id: { parse: (text: string) => parseInvoiceId(text) ?? null, code: 'invoice_not_found' },
} as const;

export const buildInvoicePageRoutes = (parts: PayablePageDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'GET',
    path: '/invoice/{invoice_id}',
    summary: 'The page of an invoice',
    description:
      'Made to be printed, too. Indonesian, or English by `Accept-Language`. Errors are pages for browsers, and error ' +
      'bodies for the rest.',
    params,
    showApiError: (refusal, wishes) => showApiError(parts, refusal, wishes),
    limit: 'checkout',
    answers: { 200: null },
    errors: ['invoice_not_found', 'dependency_unavailable'],
    handle: (request) => getInvoice(parts, request),
  }),
  defineOpenRoute({
    method: 'POST',
    path: '/invoice/{invoice_id}/payment',
    summary: 'Pay an invoice',
    description:
      'What the button of the page does. Leads to the hosted page of the payment that is open, a new one where the ' +
      'last has failed or expired; back to the invoice where nothing is to be paid.',
    params,
    showApiError: (refusal, wishes) => showApiError(parts, refusal, wishes),
    limit: 'checkout',
    answers: { 303: null },
    errors: [
      'invoice_not_found',
      'live_not_enabled',
      'overloaded',
      'dependency_unavailable',
      'outcome_unknown',
    ],
    handle: (request) => payInvoice(parts, request),
  }),
];
