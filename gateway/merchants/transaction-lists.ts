// What an environment of a merchant holds, for its users: the lists of the key API (gateway/api/lists) by pages or as a
// CSV file. Rows that a merchant's users may see are chosen by the session's merchant, whatever the query says.
import type { Environment } from '#actors/core/ids.js';
import type { PagePlace } from '#store/postgres/page.js';
import { type Downloads, isCsvRequested } from '../lists/csv-download.js';
import { type Listing, type ListDeps, type Owner, showPage } from '../lists/listing.js';
import type { PageQuery } from '../lists/page.js';
import type { Answer, ApiError } from '../routing/response.js';
import type { NoParams } from '../routing/request.js';
import type { MerchantRequest } from '../routing/session-route.js';

export interface TransactionDeps extends ListDeps {
  readonly downloads: Downloads;
  nowMs(): number;
}

type Query = PageQuery & { readonly environment?: Environment };
type Request<Asked> = MerchantRequest<NoParams, undefined, Asked>;

const DAY_CHARACTERS = 10;

/** 200 with a page, or with the whole list to whom wants CSV. `open` is of the key API. */
export function showList<Asked extends Query, Row extends PagePlace>(
  parts: TransactionDeps,
  { session, query, preferences }: Request<Asked>,
  open: (parts: ListDeps, owner: Owner, query: Asked) => Listing<Row> | ApiError,
): Answer | Promise<Answer> {
  const { environment = 'TEST' } = query;
  const listing = open(parts, { merchantId: session.merchantId, environment }, query);
  if ('code' in listing) return listing;
  if (!isCsvRequested(preferences)) return showPage(listing, query);
  return parts.downloads.begin(
    listing,
    query,
    formatFileName(parts, listing.scope.list, environment),
  );
}

/** `payments-TEST-2026-08-02.csv` */
export function formatFileName(
  parts: TransactionDeps,
  list: string,
  environment: Environment,
): string {
  const day = new Date(parts.nowMs()).toISOString().slice(0, DAY_CHARACTERS);
  return `${list}-${environment}-${day}.csv`;
}
