// How columns of ids, codes and numbers go to the server: as one joined text, which the SQL function `split`
// takes apart (an empty element is null). Free text goes as a real array, since it may hold the separator.
// (Arrays of numbers and times are no way: postgres.js sends them as what `String` makes of them.)

const SEPARATOR = '\u001f';

/** The values of one column of `rows`, joined. */
export function joinColumn<Row>(
  rows: readonly Row[],
  column: (row: Row) => string | number | bigint | null,
): string {
  return rows.map((row) => column(row) ?? '').join(SEPARATOR);
}
