// A list of one merchant and environment, ready to be read: page by page, for a key or a session, or as a CSV file
// (csv-download.ts). All of them show the same fields.
import type { Environment, MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';
import type { FoundRows, Page, PagePlace } from '#store/postgres/page.js';
import type { NoParams, OpenRequest } from '../routing/request.js';
import { type Answer, type ApiError, reply } from '../routing/response.js';
import type { Column } from './csv-cells.js';
import type { CursorScope } from './cursor.js';
import { type PageQuery, readPage, writePage } from './page.js';
import type { ReadList } from './read-list.js';

export interface StoreDeps {
  /** The pool for lists: a slow list never delays a get or a credential. */
  readonly lists: Postgres;
  readonly readList: ReadList;
}

export interface ListDeps extends StoreDeps {
  readonly baseUrl: string;
}

/** The dependencies of a listing; a file has its own connection (file-pages.ts). */
export type ListingDeps = Pick<ListDeps, 'lists' | 'baseUrl'>;

/** The tenant of the rows. */
export interface Tenant {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
}

/** The part of a request that handlers of keys and of sessions share (auth/tenant-request.ts makes one of a session). */
export interface TenantRequest<Params = NoParams, Body = undefined> extends Pick<
  OpenRequest<Params, Body>,
  'params' | 'body' | 'idempotencyKey'
> {
  readonly credential: Tenant;
}

export interface Listing<Row extends PagePlace> {
  readonly scope: CursorScope;
  /** The fields of a shown row, in order: the columns of the CSV file. */
  readonly columns: readonly Column[];
  /** Newest first. */
  readonly find: (page: Page) => Promise<FoundRows<Row>>;
  readonly view: (row: Row) => object;
  /** The row's JSON, when it is stored as JSON. */
  readonly write?: (row: Row) => string;
}

/** 200 with a page; an error instead of a listing is returned as it is. */
export async function showPage<Row extends PagePlace>(
  { readList }: Pick<StoreDeps, 'readList'>,
  listing: Listing<Row> | ApiError,
  query: PageQuery,
): Promise<Answer> {
  if ('code' in listing) return listing;
  const { scope, view, write = (row: Row) => JSON.stringify(view(row)) } = listing;
  const page = readPage(scope, query);
  if ('code' in page) return page;
  const found = await readList(scope.merchantId, () => listing.find(page));
  return reply(200, writePage(scope, page.limit, found, write));
}
