// Payments, refunds, payouts, events and the balance for a merchant's users: the lists that API keys also read, by page
// or as a CSV file. Rows are always limited to the session's merchant; the query only chooses the environment.
import type { Environment } from '#actors/core/ids.js';
import type { PagePlace } from '#store/postgres/page.js';
import type { StandbyReads } from '#store/postgres/standby-reads.js';
import { type Downloads, isCsvRequested, nameFile } from './csv-download.js';
import type { FormatQuery } from './csv-format.js';
import type { FileList } from './file-pages.js';
import { type Listing, type ListDeps, type ListingDeps, type Tenant, showPage } from './listing.js';
import type { PageQuery } from './page.js';
import type { Answer, ApiError } from '../routing/response.js';
import type { NoParams } from '../routing/request.js';
import type { MerchantRequest } from '../routing/session-route.js';

export interface TransactionDeps extends ListDeps {
  readonly downloads: Downloads;
  /** The pool for statements: reading a long one never delays a page. */
  readonly files: StandbyReads;
  nowMs(): number;
}

type Query = PageQuery & FormatQuery & { readonly environment?: Environment };
type Request<ListQuery> = MerchantRequest<NoParams, undefined, ListQuery>;

/** The list of the key API. A file of it is opened once more, in the thread that writes it. */
interface ShownList<ListQuery, Row extends PagePlace> {
  readonly list: FileList;
  readonly open: (deps: ListingDeps, tenant: Tenant, query: ListQuery) => Listing<Row> | ApiError;
}

/** Returns 200 with a page, or with the whole list if CSV is requested. */
export function showList<ListQuery extends Query, Row extends PagePlace>(
  deps: TransactionDeps,
  { session: { merchantId }, query, preferences }: Request<ListQuery>,
  { list, open }: ShownList<ListQuery, Row>,
): Answer | Promise<Answer> {
  const { environment = 'TEST' } = query;
  const listing = open(deps, { merchantId, environment }, query);
  if ('code' in listing) return listing;
  if (!isCsvRequested(preferences)) return showPage(deps, listing, query);
  const source = { list, merchantId, environment, query };
  return deps.downloads.begin(source, nameFile(`${list}-${environment}`, deps.nowMs()));
}
