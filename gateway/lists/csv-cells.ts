// CSV as RFC 4180 has it: comma, CR LF, quotes doubled. Cells are quoted unless they are plain, so that a
// program that separates by other marks splits none of them.
//
// A spreadsheet takes a cell that begins with one of LEADS for a formula, and customers and merchants write
// cells: those get a quote in front. A number may begin with a minus.
const LEADS = /^[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^-[0-9]+$/;
const PLAIN = /^[\w.:/@-]*$/;

export type Columns = readonly string[];

/** A line with its end. `row` has a value for each column; null and what is missing are empty cells. */
export function writeLine(columns: Columns, row: object): string {
  const values = row as Readonly<Record<string, unknown>>;
  return `${columns.map((column) => writeCell(values[column])).join(',')}\r\n`;
}

export const writeHead = (columns: Columns): string => `${columns.join(',')}\r\n`;

export function writeCell(value: unknown): string {
  const text = formatText(value);
  const safe = LEADS.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return PLAIN.test(safe) ? safe : `"${safe.replaceAll('"', '""')}"`;
}

function formatText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
