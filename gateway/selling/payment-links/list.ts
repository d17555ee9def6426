// The payment links of a merchant, by page and as a CSV file.
import type { MerchantId } from '#actors/core/ids.js';
import type { PagePlace } from '#store/postgres/page.js';
import { listLinks, type PaymentLink } from '#store/postgres/links-and-invoices/payment-links.js';
import { listColumns } from '#gateway/lists/csv-cells.js';
import { type FileDeps, showPageOrFile } from '#gateway/lists/csv-download.js';
import type { Listing, ListingDeps } from '#gateway/lists/listing.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { Answer } from '#gateway/routing/response.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import { type LinksQuery, PaymentLink as LinkSchema } from './schema.js';

/** Returns 200 with a page, newest first, or with all payment links as CSV. */
export function showLinks(
  deps: FileDeps & ListingDeps,
  { session, query, preferences }: MerchantRequest<NoParams, undefined, LinksQuery>,
): Answer | Promise<Answer> {
  const { merchantId } = session;
  const listing = createLinkListing(deps, merchantId, query);
  const source = { list: 'payment_links', merchantId, environment: null, query } as const;
  return showPageOrFile(deps, listing, source, preferences);
}

export function createLinkListing(
  deps: ListingDeps,
  merchantId: MerchantId,
  query: LinksQuery,
): Listing<PaymentLink & PagePlace> {
  const { environment, active = null } = query;
  const filter = { merchantId, environment: environment ?? null, active };
  return {
    scope: { list: 'payment_links', merchantId, environment: environment ?? 'all' },
    columns: listColumns(LinkSchema),
    find: (page) => listLinks(deps.lists, filter, page),
    view: (link) => viewLink(deps, link),
  };
}

export function viewLink({ baseUrl }: Pick<ListingDeps, 'baseUrl'>, link: PaymentLink): object {
  return {
    id: link.id,
    object: 'payment_link',
    environment: link.environment,
    url: `${baseUrl}/pay/${link.slug}`,
    title: link.title,
    description: link.description,
    amount: link.amount,
    min_amount: link.minAmount,
    max_amount: link.maxAmount,
    currency: link.currency,
    max_uses: link.maxUses,
    uses: link.uses,
    active: link.active,
    expires_at: link.expiresAt?.toISOString() ?? null,
    success_url: link.successUrl,
    created_at: link.createdAt.toISOString(),
  };
}
