// Visits all rows of a table in pages.

const ROWS_A_READ = 500;

/** How many rows were visited. `total` is an estimate; absent: unknown. */
export type TellVisited = (visited: number, total?: number) => void;

export interface Visit<Row extends { readonly id: string }> {
  /** At most `limit` rows behind an id, in the order of ids. */
  readonly read: (after: string, limit: number) => Promise<readonly Row[]>;
  readonly visit: (row: Row) => void;
  /** Called after each page. */
  readonly tell: (visited: number) => void;
}

/** Returns the number of rows. */
export async function visitRows<Row extends { readonly id: string }>({
  read,
  visit,
  tell,
}: Visit<Row>): Promise<number> {
  let count = 0;
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows: readonly Row[] = await read(after, ROWS_A_READ);
    rows.forEach(visit);
    count += rows.length;
    tell(count);
    after = rows.length < ROWS_A_READ ? undefined : rows.at(-1)?.id;
  }
  return count;
}
