// A whole list as a CSV file that is made while it is sent: a page is read when the client has taken the one
// before, so that a million rows need the memory of one page, and a client that stops reading costs no query.
//
// The first page is read before the answer begins: what can be refused is refused with an error body. Later a
// failure cuts the connection, since a file that ends well is complete.
import { runWithDeadline } from '#ops/runtime/deadline.js';
import type { Page, PagePlace } from '#store/postgres/page.js';
import {
  type Answer,
  type HeaderPair,
  type BodyChunks,
  buildApiError,
  replyWithStream,
} from '../routing/response.js';
import type { Preferences } from '../routing/request.js';
import type { Listing } from './listing.js';
import { buildParameterError } from './page.js';
import { writeHead, writeLine } from './csv-cells.js';

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';
const ACCEPTS_CSV = /(?:^|,)\s*text\/csv\s*(?:[;,]|$)/i;
/** Between two pages the event loop is free for requests: 250 payments take 5 ms. */
const ROWS_A_PAGE = 250;
/** Beyond the database's own bound on a statement. */
const PIECE_MS = 6_000;
/** Of one gateway. */
const MAX_AT_ONCE = 16;

export const buildFileHeaders = (name: string): readonly HeaderPair[] => [
  ['Content-Disposition', `attachment; filename="${name}"`],
  ['X-Content-Type-Options', 'nosniff'],
];

export const isCsvRequested = ({ accept }: Preferences): boolean => ACCEPTS_CSV.test(accept);

/** The rows came to an end that is not the list's. */
export class ListCutError extends Error {}

export class Downloads {
  #running = 0;

  /** 200 with the file. `query` may filter, and not turn pages. */
  async begin<Row extends PagePlace>(
    listing: Listing<Row>,
    query: { readonly limit?: string; readonly cursor?: string },
    fileName: string,
  ): Promise<Answer> {
    for (const param of ['limit', 'cursor'] as const) {
      if (query[param] !== undefined)
        return buildParameterError(param, 'is for pages, not for CSV');
    }
    if (this.#running >= MAX_AT_ONCE) return buildApiError('overloaded');
    this.#running += 1;
    const pages = new CsvPages(listing, () => (this.#running -= 1));
    const first = await pages.prepare();
    if (!first) return buildApiError('dependency_unavailable');
    return replyWithStream(CSV_TYPE, pages, buildFileHeaders(fileName));
  }

  /**
   * 200 with the file that comes in `pieces`, the first of them made before the answer begins.
   * @throws as the first piece does
   */
  async send(pieces: AsyncGenerator<string, undefined>, fileName: string): Promise<Answer> {
    if (this.#running >= MAX_AT_ONCE) return buildApiError('overloaded');
    this.#running += 1;
    let isRunning = true;
    const file = new WrittenFile(pieces, () => {
      if (isRunning) this.#running -= 1;
      isRunning = false;
    });
    await file.prepare();
    return replyWithStream(CSV_TYPE, file, buildFileHeaders(fileName));
  }
}

/** A file that somebody else writes, within the bound of all. */
class WrittenFile implements BodyChunks {
  readonly #pieces: AsyncGenerator<string, undefined>;
  readonly #release: () => void;
  #first: IteratorResult<string, undefined> | undefined;

  constructor(pieces: AsyncGenerator<string, undefined>, release: () => void) {
    this.#pieces = pieces;
    this.#release = release;
  }

  async prepare(): Promise<void> {
    try {
      this.#first = await runWithDeadline(this.#pieces.next(), PIECE_MS);
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    const first = this.#first;
    this.#first = undefined;
    const piece = first ?? (await runWithDeadline(this.#pieces.next(), PIECE_MS));
    if (piece.done === true) this.#release();
    return piece;
  }

  /** What is being read is left to end by itself. */
  return(): Promise<unknown> {
    this.#release();
    return Promise.resolve();
  }
}

/** The file in pieces, each of one page. */
class CsvPages<Row extends PagePlace> implements AsyncIterator<string, undefined> {
  readonly #listing: Listing<Row>;
  readonly #release: () => void;
  #isReleased = false;
  #ready: string | undefined;
  /** null: the list has ended. */
  #next: Page | null = { limit: ROWS_A_PAGE, after: null };

  constructor(listing: Listing<Row>, release: () => void) {
    this.#listing = listing;
    this.#release = release;
  }

  /** Reads the first page; false: it could not be read, and there will be no file. */
  async prepare(): Promise<boolean> {
    try {
      this.#ready = writeHead(this.#listing.columns) + (await this.#read());
      return true;
    } catch (error) {
      await this.return();
      if (error instanceof ListCutError) return false;
      throw error;
    }
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    const ready = this.#ready;
    this.#ready = undefined;
    if (ready !== undefined) return { done: false, value: ready };
    if (this.#next === null) return this.return();
    return { done: false, value: await this.#read() };
  }

  /** Also when the client has gone. */
  return(): Promise<IteratorReturnResult<undefined>> {
    this.#next = null;
    if (!this.#isReleased) this.#release();
    this.#isReleased = true;
    return Promise.resolve({ done: true, value: undefined });
  }

  async #read(): Promise<string> {
    const page = this.#next;
    if (page === null) return '';
    const found = await this.#listing.find(page);
    if (found === undefined) throw new ListCutError('a page of a list could not be read');
    const { columns, view } = this.#listing;
    const rows = found.rows.slice(0, page.limit);
    const last = found.rows.length > page.limit ? rows.at(-1) : found.stoppedAt;
    const isReturned = this.#next === null;
    if (!isReturned) this.#next = last ? { limit: page.limit, after: last } : null;
    return rows.map((row) => writeLine(columns, view(row))).join('');
  }
}
