// The invoices of a merchant, by page and as a CSV file.
import type { MerchantId } from '#actors/core/ids.js';
import type { PagePlace } from '#store/postgres/page.js';
import { type Invoice, listInvoices } from '#store/postgres/links-and-invoices/invoices.js';
import { listColumns } from '#gateway/lists/csv-cells.js';
import { type FileDeps, showPageOrFile } from '#gateway/lists/csv-download.js';
import type { Listing, ListingDeps } from '#gateway/lists/listing.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { Answer } from '#gateway/routing/response.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import { viewInvoice } from './invoice-answers.js';
import { Invoice as InvoiceSchema, type InvoicesQuery } from './schema.js';

/** Returns 200 with a page, newest first, or with all invoices as CSV. */
export function showInvoices(
  deps: FileDeps & ListingDeps,
  { session, query, preferences }: MerchantRequest<NoParams, undefined, InvoicesQuery>,
): Answer | Promise<Answer> {
  const { merchantId } = session;
  const listing = createInvoiceListing(deps, merchantId, query);
  const source = { list: 'invoices', merchantId, environment: null, query } as const;
  return showPageOrFile(deps, listing, source, preferences);
}

export function createInvoiceListing(
  deps: ListingDeps,
  merchantId: MerchantId,
  query: InvoicesQuery,
): Listing<Invoice & PagePlace> {
  const { environment, status = null, number = null } = query;
  const filter = { merchantId, environment: environment ?? null, status, number };
  return {
    scope: { list: 'invoices', merchantId, environment: environment ?? 'all' },
    columns: listColumns(InvoiceSchema),
    find: (page) => listInvoices(deps.lists, filter, page),
    view: (invoice) => viewInvoice(deps, invoice),
  };
}
