// Where a page of a list begins: behind the last row of the page before. Lists are newest first by (time,
// id), which no row changes, so a row that is added moves no other to another page.

/** A row's place in its list; `id` settles the order of rows of one millisecond. */
export interface Place {
  readonly atMs: number;
  readonly id: string;
}

export interface Page {
  readonly limit: number;
  /** null: from the newest on. */
  readonly after: Place | null;
}
