// A column of many rows as one text, which the SQL function `split` separates again; an empty element is null. It is
// for ids, codes, numbers and JSON, which never contain the separator. Free text is sent as an array instead.
// (postgres.js cannot send arrays of numbers or times: it applies `String` to them.)

const SEPARATOR = '\u001f';

type Scalar = string | number | bigint | null;

export function joinColumn<Row>(rows: readonly Row[], column: (row: Row) => Scalar): string {
  return joinValues(rows.map(column));
}

/** As `joinColumn`, for values that are no part of rows. */
export function joinValues(values: readonly Scalar[]): string {
  // `join` writes null as an empty element.
  return values.join(SEPARATOR);
}
