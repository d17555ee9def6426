// Answers a list as a CSV file, one page at a time, which a background thread writes (file-pages.ts). The next page is read
// when the client has taken the one before, so a million rows need the memory of one page, and a client that stops reading
// causes no queries.
//
// The first page is read before the answer begins, so that an error still gets an error body. A later failure cuts the
// connection: a file that ends properly is complete.
import { findDay } from '#actors/core/days.js';
import { Shares } from '#ops/runtime/shares.js';
import type { BackgroundThread } from '#ops/runtime/threads/background-thread.js';
import type { Postgres } from '#store/postgres/client.js';
import type { PagePlace } from '#store/postgres/page.js';
import { FairQueue } from '../limits/fair-queue.js';
import type { Preferences } from '../routing/request.js';
import {
  type Answer,
  type ApiError,
  type BodyChunk,
  type BodyChunks,
  buildApiError,
  type HeaderPair,
  replyWithStream,
} from '../routing/response.js';
import { type FormatQuery, readFormat } from './csv-format.js';
import type { FailedPage, FilePage, FilePageJob, FileSource } from './file-pages.js';
import { type Listing, showPage } from './listing.js';
import { buildParameterError, type PageQuery } from './page.js';
import type { ReadList } from './read-list.js';

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';
const ACCEPTS_CSV = /(?:^|,)\s*text\/csv\s*(?:[;,]|$)/i;
/** Files that one gateway sends at the same time, of all holders and of one: a merchant, or the administrators together. */
const BOUNDS = { total: 8, perHolder: 3 } as const;
/**
 * One page at a time is written, since Postgres reads it with normal priority. Merchants take turns, and all files together
 * rest for 40 ms after a page, or four times as long as it took: 2,400 payments a second.
 */
const TURNS = {
  atOnce: 1,
  waiting: BOUNDS.total,
  waitingPerClient: BOUNDS.perHolder,
  rest: { ms: 40, worksBefore: 0, perWork: { times: 4, maxMs: 400 } },
} as const;
const RETRY_AFTER_S = 10;

const TOO_MANY = buildApiError('rate_limited', {
  message:
    `As many files are being downloaded as may be: ${BOUNDS.perHolder} of one account, and fewer while others download. ` +
    'Wait until one of them is complete.',
  retryAfterSeconds: RETRY_AFTER_S,
});
const OVERLOADED = buildApiError('overloaded', { retryAfterSeconds: RETRY_AFTER_S });

export const buildFileHeaders = (name: string): readonly HeaderPair[] => [
  ['Content-Disposition', `attachment; filename="${name}"`],
];

/** `payments-TEST-2026-08-02.csv`, by the day in Jakarta. */
export const nameFile = (subject: string, atMs: number): string =>
  `${subject}-${findDay(atMs)}.csv`;

export const isCsvRequested = ({ accept }: Preferences): boolean => ACCEPTS_CSV.test(accept);

/** The parts of a file, in order. An empty one is not sent. */
type FileParts = AsyncGenerator<BodyChunk, undefined>;
type NextPart = () => Promise<IteratorResult<BodyChunk, undefined>>;
export type FileThread = BackgroundThread<FilePageJob, FilePage | FailedPage>;

export interface DownloadDeps {
  readonly thread: FileThread;
  readonly onError: (error: unknown) => void;
}

type FileQuery = PageQuery & FormatQuery;

/** The store failed in the thread. */
class PageError extends Error {
  readonly failure: ApiError;

  constructor({ failure, cause }: FailedPage) {
    super(cause);
    this.failure = failure;
  }
}

/** The dependencies of a list that is also sent as a file. */
export interface FileDeps {
  readonly lists: Postgres;
  readonly readList: ReadList;
  readonly downloads: Downloads;
  nowMs(): number;
}

/** Returns 200 with a page, or with the whole list if CSV is requested: `invoices-2026-08-02.csv`. */
export function showPageOrFile<Row extends PagePlace>(
  deps: FileDeps,
  listing: Listing<Row> | ApiError,
  source: FileSource & { readonly query: FileQuery },
  preferences: Preferences,
): Answer | Promise<Answer> {
  if ('code' in listing) return listing;
  if (!isCsvRequested(preferences)) return showPage(deps, listing, source.query);
  return deps.downloads.begin(source, nameFile(source.list.replaceAll('_', '-'), deps.nowMs()));
}

export class Downloads {
  readonly #deps: DownloadDeps;
  readonly #shares = new Shares(BOUNDS);
  readonly #turns = new FairQueue(TURNS);

  constructor(deps: DownloadDeps) {
    this.#deps = deps;
  }

  /** 200 with the whole list; 400 when the query asks for a page, or for a format that no program could read. */
  async begin(source: FileSource & { readonly query: FileQuery }, name: string): Promise<Answer> {
    const format = readFormat(source.query);
    if ('code' in format) return format;
    for (const param of ['limit', 'cursor'] as const) {
      if (source.query[param] !== undefined)
        return buildParameterError(param, 'is for pages, not for CSV');
    }
    try {
      return await this.send(source.merchantId, this.#readPages(source), name);
    } catch (error) {
      if (!(error instanceof PageError)) throw error;
      this.#deps.onError(error);
      return error.failure;
    }
  }

  /**
   * 200 with a file; 429 when too many are being sent to the holder, and 503 when too many to all.
   * @throws when the first part cannot be produced
   */
  async send(holder: string, parts: FileParts, fileName: string): Promise<Answer> {
    const release = this.#shares.take(holder);
    if (release === 'holder') return TOO_MANY;
    if (release === 'all') return OVERLOADED;
    let isOver = false;
    const end = (): void => {
      isOver = true;
      release();
    };
    const next: NextPart = async () => {
      let part: IteratorResult<BodyChunk, undefined>;
      do part = await this.#turns.run([holder], () => parts.next());
      while (part.value?.length === 0 && !isOver);
      return part;
    };
    const chunks = await openChunks(next, end);
    return replyWithStream(CSV_TYPE, chunks, buildFileHeaders(fileName));
  }

  /** A page without rows has a turn too: a filter that nothing matches reads the whole list. */
  async *#readPages(source: FileSource): FileParts {
    let place: Pick<FilePageJob, 'after' | 'since'> = { after: null, since: null };
    do {
      const page: FilePage | FailedPage = await this.#deps.thread.run({ ...source, ...place });
      if ('failure' in page) throw new PageError(page);
      yield page.bytes;
      place = { after: page.next, since: page.since };
    } while (place.after !== null);
    return undefined;
  }
}

/** Produces the first part at once. Calls `end` when the file is complete, has failed or is not wanted any more. */
async function openChunks(next: NextPart, end: () => void): Promise<BodyChunks> {
  let first: IteratorResult<BodyChunk, undefined> | undefined;
  try {
    first = await next();
  } catch (error) {
    end();
    throw error;
  }
  return {
    next: async () => {
      const part = first ?? (await next());
      first = undefined;
      if (part.done === true) end();
      return part;
    },
    return: () => {
      end();
      return Promise.resolve();
    },
  };
}
