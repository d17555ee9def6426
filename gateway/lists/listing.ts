// A list of one merchant's environment that is ready to be read: by pages, with a key or a session, or whole
// (csv/download.ts). What it shows is the same for all of them.
import type { Environment, MerchantId } from '#actors/core/ids.js';
import type { FoundRows, Page, PagePlace } from '#store/postgres/page.js';
import { type Answer, type ApiError, buildApiError, reply } from '../routing/response.js';
import type { StoreDeps } from '../routing/query-store.js';
import type { CursorScope } from './cursor.js';
import { type PageQuery, readPage, writePage } from './page.js';

export interface ListDeps extends StoreDeps {
  readonly baseUrl: string;
}

/** Whose rows are shown. */
export interface Owner {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
}

export interface Listing<Row extends PagePlace> {
  readonly scope: CursorScope;
  /** The fields of what is shown, in order: the columns of a CSV file. */
  readonly columns: readonly string[];
  /** Newest first; undefined: the database could not be asked. */
  readonly find: (page: Page) => Promise<FoundRows<Row> | undefined>;
  readonly view: (row: Row) => object;
  /** The JSON of a row, where it is stored as such. */
  readonly write?: (row: Row) => string;
}

/** 200 with a page; a refusal instead of a listing is passed on. */
export async function showPage<Row extends PagePlace>(
  listing: Listing<Row> | ApiError,
  query: PageQuery,
): Promise<Answer> {
  if ('code' in listing) return listing;
  const { scope, view, write = (row: Row) => JSON.stringify(view(row)) } = listing;
  const page = readPage(scope, query);
  if ('code' in page) return page;
  const found = await listing.find(page);
  if (found === undefined) return buildApiError('dependency_unavailable');
  return reply(200, writePage(scope, page.limit, found, write));
}
