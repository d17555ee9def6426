// Invoices.
import { parseInvoiceId } from '#actors/core/ids.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import {
  changeInvoice,
  finalizeInvoice,
  type InvoiceDeps,
  makeInvoice,
  showInvoice,
  showInvoices,
  voidInvoice,
} from './handlers.js';
import * as wire from './schema.js';
import { buildQuerySpec, type Route } from '../routing/route.js';
import { buildTextBodySpec, defineMerchantRoute } from '../routing/session-route.js';

const PATH = '/v1/merchants/me/invoices';
const params = { invoice_id: { parse: parseInvoiceId, code: 'invoice_not_found' } } as const;
const READ = { permission: 'read_invoices' } as const;
const CHANGE = { permission: 'change_invoices' } as const;
const TERMS_ERRORS = [
  'amount_invalid',
  'amount_out_of_range',
  'card_data_refused',
  'currency_unsupported',
] as const;

export const buildInvoiceRoutes = (parts: InvoiceDeps): readonly Route[] => [
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: PATH,
    summary: 'List the invoices',
    query: buildQuerySpec(wire.InvoicesQuery),
    answers: { 200: buildPageSchema(wire.Invoice) },
    handle: (request) => showInvoices(parts, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: PATH,
    summary: 'Draft an invoice',
    description: 'The total is computed from the items.',
    body: buildTextBodySpec(wire.CreateInvoiceRequest, wire.INVOICE_TEXTS),
    answers: { 201: wire.Invoice },
    errors: TERMS_ERRORS,
    handle: (request) => makeInvoice(parts, request),
  }),
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/{invoice_id}`,
    summary: 'Show an invoice',
    params,
    answers: { 200: wire.Invoice },
    handle: (request) => showInvoice(parts, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'PATCH',
    path: `${PATH}/{invoice_id}`,
    summary: 'Change a draft',
    description: 'What is left out stays; null clears. `items` replaces all of them.',
    params,
    body: buildTextBodySpec(wire.ChangeInvoiceRequest, wire.INVOICE_TEXTS),
    answers: { 200: wire.Invoice },
    errors: [...TERMS_ERRORS, 'state_conflict'],
    handle: (request) => changeInvoice(parts, request),
  }),
  ...buildInvoiceActionRoutes(parts),
];

const buildInvoiceActionRoutes = (parts: InvoiceDeps): readonly Route[] => [
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: `${PATH}/{invoice_id}/finalize`,
    summary: 'Finalize an invoice',
    description:
      'The draft gets its number and its page, and can be paid. The customer is told by e-mail where `customer_email` ' +
      'is set; your own address must be verified then, and mails are bounded: 429 leaves the draft as it is.',
    params,
    answers: { 200: wire.Invoice },
    errors: ['rate_limited', 'state_conflict'],
    handle: (request) => finalizeInvoice(parts, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: `${PATH}/{invoice_id}/void`,
    summary: 'Void an invoice',
    description:
      'A draft, or an open one: it keeps its number and cannot be paid any more. Money that comes all the same is ' +
      'sent back by an operator.',
    params,
    answers: { 200: wire.Invoice },
    errors: ['state_conflict'],
    handle: (request) => voidInvoice(parts, request),
  }),
];
