// Pages of a list. A page begins behind the last row of the page before. Lists are ordered by (time, id), newest first,
// and these columns never change, so a new row moves no other row to another page.
//
// A filter without an index reads a limited number of rows per page, so that rare rows of a long list are found over
// several pages, some of them empty. (Reading a million rows takes a second.)
import type { Postgres } from './client.js';

const ROWS_SCANNED = 100_000;

/** The limit as literals, since plans are generic: of the rows of one page, and of the last row alone. */
export function buildScanLimit(sql: Postgres) {
  return {
    rows: sql.unsafe(`limit ${ROWS_SCANNED}`),
    last: sql.unsafe(`limit 1 offset ${ROWS_SCANNED - 1}`),
  };
}

/** A row's place in its list; `id` orders the rows of one millisecond. */
export interface PagePlace {
  readonly atMs: number;
  readonly id: string;
}

/** One row more than the page's limit means that there is another page. */
export interface FoundRows<Row extends PagePlace> {
  readonly rows: readonly Row[];
  /** The place where the scan limit ended the search; null: the page is full, or the list has ended. */
  readonly stoppedAt: PagePlace | null;
}

export interface Page {
  readonly limit: number;
  /** null: the first page. */
  readonly after: PagePlace | null;
}
