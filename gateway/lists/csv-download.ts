// Answers a list as a CSV file, one page of the database at a time, in pieces. The next piece is written when the client has
// taken the one before, so a million rows need the memory of one page, and a client that stops reading causes no queries.
//
// The first page is read before the answer begins, so that an error still gets an error body. A later failure cuts the
// connection: a file that ends properly is complete.
import { Shares } from '#ops/runtime/shares.js';
import type { Page, PagePlace } from '#store/postgres/page.js';
import { FairQueue } from '../limits/fair-queue.js';
import type { Preferences } from '../routing/request.js';
import {
  type Answer,
  type BodyChunks,
  buildApiError,
  type HeaderPair,
  replyWithStream,
} from '../routing/response.js';
import { writeHead, writeLine } from './csv-cells.js';
import type { Listing } from './listing.js';
import { buildParameterError, type PageQuery } from './page.js';

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';
const ACCEPTS_CSV = /(?:^|,)\s*text\/csv\s*(?:[;,]|$)/i;
/** A payment costs 19 µs of CPU in pages of 100, and 49 µs in pages of 20. */
const ROWS_A_PAGE = 100;
/** Are written in one turn: 0.3 ms of the event loop. */
const ROWS_A_PIECE = 20;
/** Files that one gateway sends at the same time, of all merchants and of one. */
const BOUNDS = { total: 8, perOwner: 3 } as const;
/**
 * One piece at a time is written, or several files together would fill the event loop. Merchants take turns, and all files
 * together rest for 8 ms after a piece, or four times as long as it took: 2,400 payments a second.
 */
const TURNS = {
  atOnce: 1,
  waiting: BOUNDS.total,
  waitingPerClient: BOUNDS.perOwner,
  rest: { ms: 8, worksBefore: 0, perWork: { times: 4, maxMs: 100 } },
} as const;
const RETRY_AFTER_S = 10;

const TOO_MANY = buildApiError('rate_limited', {
  message: `This merchant downloads ${BOUNDS.perOwner} files already. Wait until one of them is complete.`,
  retryAfterSeconds: RETRY_AFTER_S,
});
const OVERLOADED = buildApiError('overloaded', { retryAfterSeconds: RETRY_AFTER_S });

export const buildFileHeaders = (name: string): readonly HeaderPair[] => [
  ['Content-Disposition', `attachment; filename="${name}"`],
];

export const isCsvRequested = ({ accept }: Preferences): boolean => ACCEPTS_CSV.test(accept);

/** The texts of a file, in order. */
type FileTexts = AsyncGenerator<string, undefined>;
type NextText = () => Promise<IteratorResult<string, undefined>>;

export class Downloads {
  readonly #shares = new Shares(BOUNDS);
  readonly #turns = new FairQueue(TURNS);

  /** 200 with the whole list; 400 when `query` asks for a page. */
  async begin<Row extends PagePlace>(
    listing: Listing<Row>,
    query: PageQuery,
    fileName: string,
  ): Promise<Answer> {
    for (const param of ['limit', 'cursor'] as const) {
      if (query[param] !== undefined)
        return buildParameterError(param, 'is for pages, not for CSV');
    }
    return this.send(listing.scope.merchantId, writeList(listing), fileName);
  }

  /**
   * 200 with a file; 429 when too many are being sent to the merchant, and 503 when too many to all.
   * @throws when the first text cannot be produced
   */
  async send(merchantId: string, texts: FileTexts, fileName: string): Promise<Answer> {
    const release = this.#shares.take(merchantId);
    if (release === 'owner') return TOO_MANY;
    if (release === 'all') return OVERLOADED;
    let isOver = false;
    const end = (): void => {
      isOver = true;
      release();
    };
    const next: NextText = async () => {
      let text: IteratorResult<string, undefined>;
      do text = await this.#turns.run(merchantId, () => texts.next());
      while (text.value === '' && !isOver);
      return text;
    };
    const chunks = await openChunks(next, end);
    return replyWithStream(CSV_TYPE, chunks, buildFileHeaders(fileName));
  }
}

/** Produces the first text at once. Calls `end` when the file is complete, has failed or is not wanted any more. */
async function openChunks(next: NextText, end: () => void): Promise<BodyChunks> {
  let first: IteratorResult<string, undefined> | undefined;
  try {
    first = await next();
  } catch (error) {
    end();
    throw error;
  }
  return {
    next: async () => {
      const text = first ?? (await next());
      first = undefined;
      if (text.done === true) end();
      return text;
    },
    return: () => {
      end();
      return Promise.resolve();
    },
  };
}

async function* writeList<Row extends PagePlace>(listing: Listing<Row>): FileTexts {
  const { columns, find, view } = listing;
  let head = writeHead(columns);
  let page: Page | null = { limit: ROWS_A_PAGE, after: null };
  while (page !== null) {
    const { limit }: Page = page;
    const found = await find(page);
    const rows = found.rows.slice(0, limit);
    // A page without rows has a turn too: a filter that nothing matches reads the whole list.
    for (let at = 0; at === 0 || at < rows.length; at += ROWS_A_PIECE) {
      const piece = rows.slice(at, at + ROWS_A_PIECE);
      yield head + piece.map((row) => writeLine(columns, view(row))).join('');
      head = '';
    }
    const last: PagePlace | null | undefined =
      found.rows.length > limit ? rows.at(-1) : found.stoppedAt;
    page = last ? { limit, after: last } : null;
  }
  return undefined;
}
