// What an environment of a merchant holds, for its users: the lists of the key API (gateway/api/lists) by pages or as a
// CSV file. Rows that a merchant's users may see are chosen by the session's merchant, whatever the query says.
import type { Environment } from '#actors/core/ids.js';
import type { PagePlace } from '#store/postgres/page.js';
import { readBalance } from '../balance/handlers.js';
import {
  CSV_TYPE,
  type Downloads,
  buildFileHeaders,
  isCsvRequested,
} from '../lists/csv-download.js';
import { writeHead, writeLine } from '../lists/csv-cells.js';
import { type Listing, type ListDeps, type Owner, showPage } from '../lists/listing.js';
import type { PageQuery } from '../lists/page.js';
import { type Answer, type ApiError, replyAs, reply } from '../routing/response.js';
import type { NoParams } from '../routing/request.js';
import type { MerchantRequest } from '../routing/session-route.js';
import type { BalanceQuery } from './transaction-schema.js';

export interface TransactionDeps extends ListDeps {
  readonly downloads: Downloads;
  nowMs(): number;
}

type Query = PageQuery & { readonly environment?: Environment };
type Request<Asked> = MerchantRequest<NoParams, undefined, Asked>;

const BALANCE_COLUMNS = ['currency', 'available', 'pending', 'in_transit'];
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

/** 200; as CSV a line for each currency. */
export async function showBalance(
  parts: TransactionDeps,
  { session, query, preferences }: Request<BalanceQuery>,
): Promise<Answer> {
  const { environment = 'TEST' } = query;
  const balance = await readBalance(parts, { merchantId: session.merchantId, environment });
  if (!isCsvRequested(preferences)) return reply(200, JSON.stringify(balance));
  const lines = balance.data.map((row) => writeLine(BALANCE_COLUMNS, row));
  const file = writeHead(BALANCE_COLUMNS) + lines.join('');
  return replyAs(
    CSV_TYPE,
    200,
    file,
    buildFileHeaders(formatFileName(parts, 'balance', environment)),
  );
}

/** `payments-TEST-2026-08-02.csv` */
function formatFileName(parts: TransactionDeps, list: string, environment: Environment): string {
  const day = new Date(parts.nowMs()).toISOString().slice(0, DAY_CHARACTERS);
  return `${list}-${environment}-${day}.csv`;
}
