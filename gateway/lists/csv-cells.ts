// Writes CSV cells as in RFC 4180: CR LF, doubled quotes. Every text is quoted, so that a program that imports quoted fields as
// text keeps `0081234567`, and that one with another separator does not split it. Numbers are bare, so that it can add them up.
//
// A spreadsheet evaluates a cell that begins with one of FORMULA_LEADS, and customers and merchants write cells. Such a
// cell gets an apostrophe in front, unless it is a negative number or a telephone number, which call no function and name no
// cell: an apostrophe would only damage them.
import type { TObject, TSchema } from '@sinclair/typebox';
import { AmountSchema } from '#actors/core/schemas/fields.js';
import { DEFAULT_FORMAT, type FileFormat } from './csv-format.js';

const FORMULA_LEADS = /^[=+\-@\t\r\n＝＋－＠]/;
const HARMLESS = /^(?:-[0-9]+|\+[0-9][0-9 ().-]*)$/;
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/;

export interface Column {
  readonly name: string;
  /** Written without quotes. */
  readonly isNumber: boolean;
}

/** The fields of an object, in order. Amounts are numbers, although JSON has them as texts. */
export const listColumns = ({ properties }: TObject): readonly Column[] =>
  Object.entries(properties).map(([name, schema]) => ({ name, isNumber: isNumeric(schema) }));

function isNumeric(schema: TSchema): boolean {
  const {
    type,
    pattern,
    anyOf = [],
  } = schema as { type?: string; pattern?: string; anyOf?: TSchema[] };
  if (type === 'integer' || type === 'number') return true;
  return pattern === AmountSchema.pattern || anyOf.some(isNumeric);
}

/** A line with its line break. A column that is null or missing in `row` is an empty cell. */
export function writeLine(
  columns: readonly Column[],
  row: object,
  format: FileFormat = DEFAULT_FORMAT,
): string {
  const values = row as Readonly<Record<string, unknown>>;
  const cells = columns.map(({ name, isNumber }) =>
    isNumber ? writeNumber(values[name], format) : writeCell(values[name]),
  );
  return `${cells.join(format.separator)}\r\n`;
}

export const writeHead = (
  columns: readonly Column[],
  { separator }: FileFormat = DEFAULT_FORMAT,
): string => `${columns.map(({ name }) => name).join(separator)}\r\n`;

export function writeCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA_LEADS.test(text) && !HARMLESS.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

function writeNumber(value: unknown, { decimal }: FileFormat): string {
  const text = String(value);
  return NUMBER.test(text) ? text.replace('.', decimal) : writeCell(value);
}
