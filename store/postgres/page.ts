// Where a page of a list begins: behind the last row of the page before. Lists are newest first by (time,
// id), which no row changes, so a row that is added moves no other to another page.
//
// A filter that no index has is applied to a bounded number of rows a page: what is rare in a long list is found
// over several pages, some of them empty. (A million rows, looked through at once, take a second.)
import type { Postgres } from './client.js';

const ROWS_SCANNED = 100_000;

/** The bound as literals, since plans are generic: the rows of one page, and the way to the last of them. */
export function buildScanLimit(sql: Postgres) {
  return {
    rows: sql.unsafe(`limit ${ROWS_SCANNED}`),
    last: sql.unsafe(`limit 1 offset ${ROWS_SCANNED - 1}`),
  };
}

/** A row's place in its list; `id` settles the order of rows of one millisecond. */
export interface PagePlace {
  readonly atMs: number;
  readonly id: string;
}

/** The rows that were found: one more than the page holds tells that there is another page. */
export interface FoundRows<Row extends PagePlace> {
  readonly rows: readonly Row[];
  /** Where the search stopped before the list ended and the page was full; null: it did not. */
  readonly stoppedAt: PagePlace | null;
}

export interface Page {
  readonly limit: number;
  /** null: from the newest on. */
  readonly after: PagePlace | null;
}
