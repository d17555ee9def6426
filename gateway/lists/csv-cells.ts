// Escapes CSV cells as in RFC 4180: comma, CR LF, doubled quotes. Each cell that is not plain is quoted, so that a program
// with another separator does not split it.
//
// A spreadsheet evaluates a cell that begins with one of FORMULA_LEADS, and customers and merchants write cells. Such a
// cell gets an apostrophe in front, unless it is a negative number.
const FORMULA_LEADS = /^[=+\-@\t\r\n＝＋－＠]/;
const NEGATIVE_NUMBER = /^-[0-9]+$/;
const PLAIN = /^[\w.:/@-]*$/;

export type Columns = readonly string[];

/** A line with its line break. A column that is null or missing in `row` is an empty cell. */
export function writeLine(columns: Columns, row: object): string {
  const values = row as Readonly<Record<string, unknown>>;
  return `${columns.map((column) => writeCell(values[column])).join(',')}\r\n`;
}

export const writeHead = (columns: Columns): string => `${columns.join(',')}\r\n`;

export function writeCell(value: unknown): string {
  const text = formatText(value);
  const safe = FORMULA_LEADS.test(text) && !NEGATIVE_NUMBER.test(text) ? `'${text}` : text;
  return PLAIN.test(safe) ? safe : `"${safe.replaceAll('"', '""')}"`;
}

function formatText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
