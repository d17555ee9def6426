// A page of a CSV file. Reading, decoding and writing its rows takes 2 ms and leaves half a megabyte to collect, so it runs
// in a thread of its own (gateway/file-thread.ts). The event loop only passes the bytes on.
import type { Environment, MerchantId } from '#actors/core/ids.js';
import type { PagePlace } from '#store/postgres/page.js';
import type { LogPosition } from '#store/postgres/standby-reads.js';
import type { ApiError } from '../routing/response.js';
import { writeHead, writeLine } from './csv-cells.js';
import type { FileFormat } from './csv-format.js';
import type { Listing } from './listing.js';

/** A payment costs 19 µs of CPU in pages of 100, and 49 µs in pages of 20. */
const ROWS_A_PAGE = 100;

export type FileList =
  'payments' | 'refunds' | 'payouts' | 'events' | 'api_logs' | 'invoices' | 'payment_links';

interface MerchantFile {
  readonly list: FileList;
  readonly merchantId: MerchantId;
  /** null: a list of both. */
  readonly environment: Environment | null;
  /** Was checked by the route. */
  readonly query: object;
}

/** A list for administrators: rows of all merchants. */
interface WholeFile {
  readonly list: 'transactions';
  readonly merchantId: 'all';
  readonly environment: null;
  readonly query: object;
}

export type FileSource = MerchantFile | WholeFile;

export type FilePageJob = FileSource & {
  /** null: the first page, with the head of the file. */
  readonly after: PagePlace | null;
  /** As the page before returned it; null: the first page. */
  readonly since: LogPosition | null;
};

export interface WrittenPage {
  readonly bytes: Uint8Array;
  /** null: the file is complete. */
  readonly next: PagePlace | null;
}

export interface FilePage extends WrittenPage {
  /** For the next page: a standby that writes it has all that was there at the first one. */
  readonly since: LogPosition | null;
}

/** The store failed. The class of an error is lost between threads, so that it becomes its answer there. */
export interface FailedPage {
  readonly failure: ApiError;
  readonly cause: string;
}

const encoder = new TextEncoder();

export async function writeFilePage<Row extends PagePlace>(
  { columns, find, view }: Listing<Row>,
  after: PagePlace | null,
  format: FileFormat,
): Promise<WrittenPage> {
  const { rows: found, stoppedAt } = await find({ limit: ROWS_A_PAGE, after });
  const rows = found.slice(0, ROWS_A_PAGE);
  const head = after === null ? writeHead(columns, format) : '';
  const text = head + rows.map((row) => writeLine(columns, view(row), format)).join('');
  const last = found.length > ROWS_A_PAGE ? rows.at(-1) : stoppedAt;
  const next = last ? { atMs: last.atMs, id: last.id } : null;
  return { bytes: encoder.encode(text), next };
}
