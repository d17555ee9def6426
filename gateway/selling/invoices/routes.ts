// Invoices.
import { parseInvoiceId } from '#actors/core/ids.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import {
  changeInvoice,
  finalizeInvoice,
  makeInvoice,
  showInvoice,
  voidInvoice,
} from './handlers.js';
import type { InvoiceDeps } from './invoice-answers.js';
import { showInvoices } from './list.js';
import { remindInvoice, sendInvoice } from './invoice-mails.js';
import { previewInvoice } from './preview.js';
import * as wire from './schema.js';
import { buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { buildTextBodySpec, defineMerchantRoute } from '#gateway/routing/session-route.js';

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

export const buildInvoiceRoutes = (deps: InvoiceDeps): readonly Route[] => [
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: PATH,
    operationId: 'listInvoices',
    summary: 'List the invoices',
    description: 'Newest first. With `Accept: text/csv` all matching invoices are sent as a file.',
    hasCsv: true,
    query: buildQuerySpec(wire.InvoicesQuery),
    answers: { 200: buildPageSchema(wire.Invoice) },
    errors: ['overloaded'],
    handle: (request) => showInvoices(deps, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: PATH,
    operationId: 'createInvoice',
    summary: 'Draft an invoice',
    description: 'The total is computed from the items.',
    body: buildTextBodySpec(wire.CreateInvoiceRequest, wire.INVOICE_TEXTS),
    answers: { 201: wire.Invoice },
    errors: TERMS_ERRORS,
    handle: (request) => makeInvoice(deps, request),
  }),
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/{invoice_id}`,
    operationId: 'getInvoice',
    summary: 'Show an invoice',
    description: 'With its items and their total.',
    params,
    answers: { 200: wire.Invoice },
    handle: (request) => showInvoice(deps, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'PATCH',
    path: `${PATH}/{invoice_id}`,
    operationId: 'updateInvoice',
    summary: 'Change a draft',
    description:
      'Absent fields stay; `null` clears `customer_name`, `customer_email`, `notes` and `due_at`. `items` replaces all items.',
    params,
    body: buildTextBodySpec(wire.ChangeInvoiceRequest, wire.INVOICE_TEXTS),
    answers: { 200: wire.Invoice },
    errors: [...TERMS_ERRORS, 'state_conflict'],
    handle: (request) => changeInvoice(deps, request),
  }),
  ...buildInvoiceActionRoutes(deps),
  ...buildInvoiceMailRoutes(deps),
];

const buildInvoiceActionRoutes = (deps: InvoiceDeps): readonly Route[] => [
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: `${PATH}/{invoice_id}/finalize`,
    operationId: 'finalizeInvoice',
    summary: 'Finalize an invoice',
    description:
      'The draft gets its number and its page, and can be paid. With `customer_email` the customer gets a mail: your own ' +
      'address must be verified, and mails are limited, before the approval of the merchant to 10 a day. 429 leaves the ' +
      'draft unchanged. In TEST only users of the merchant get a mail; `mail_note` of the answer says so.',
    params,
    answers: { 200: wire.Invoice },
    errors: ['rate_limited', 'state_conflict'],
    handle: (request) => finalizeInvoice(deps, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: `${PATH}/{invoice_id}/void`,
    operationId: 'voidInvoice',
    summary: 'Void an invoice',
    description:
      'For a draft or an open invoice: it keeps its number and can no longer be paid. An operator returns money that ' +
      'arrives nevertheless.',
    params,
    answers: { 200: wire.Invoice },
    errors: ['state_conflict'],
    handle: (request) => voidInvoice(deps, request),
  }),
];

const buildInvoiceMailRoutes = (deps: InvoiceDeps): readonly Route[] => [
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/{invoice_id}/preview`,
    operationId: 'previewInvoice',
    summary: 'Preview an invoice',
    description:
      'The page as the customer will see it, and the mails. Nothing is sent, and a draft has no page for others. The ' +
      'number of a draft is shown as `INV-######`.',
    params,
    answers: { 200: wire.InvoicePreview },
    handle: (request) => previewInvoice(deps, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: `${PATH}/{invoice_id}/send`,
    operationId: 'sendInvoice',
    summary: 'Send an invoice again',
    description:
      'Mails an open invoice to `customer_email` again, at most once in 10 minutes: an earlier repeat is 429 and sends ' +
      'nothing. Your own address must be verified, and mails are limited as those of `finalize`. A TEST invoice to anybody ' +
      'but a user of the merchant is 409 and sends nothing.',
    params,
    answers: { 200: wire.Invoice },
    errors: ['rate_limited', 'state_conflict', 'live_not_enabled'],
    handle: (request) => sendInvoice(deps, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: `${PATH}/{invoice_id}/remind`,
    operationId: 'remindInvoice',
    summary: 'Remind of an invoice',
    description:
      'Mails a reminder of an open invoice to `customer_email`, at most once in 24 hours: an earlier repeat is 429 and ' +
      'sends nothing. Your own address must be verified, and mails are limited as those of `finalize`. A TEST invoice to ' +
      'anybody but a user of the merchant is 409 and sends nothing.',
    params,
    answers: { 200: wire.Invoice },
    errors: ['rate_limited', 'state_conflict', 'live_not_enabled'],
    handle: (request) => remindInvoice(deps, request),
  }),
];
