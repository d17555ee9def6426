// CSV cells: each text can be read back, and no spreadsheet evaluates one as a formula.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { type TObject, Type } from '@sinclair/typebox';
import { Payment } from '#actors/core/schemas/payment.js';
import {
  type Column,
  listColumns,
  writeCell,
  writeHead,
  writeLine,
} from '#gateway/lists/csv-cells.js';
import { listRoutes } from '#test/support/routes.js';

/** A negative number, or a telephone number: no letter, so no function and no cell. */
const HARMLESS = /^(?:-\d+|\+[\d ().-]+)$/;

/** The cells of one line, as RFC 4180 reads them. */
function readLine(line: string): string[] {
  const cells: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let match = cell.exec(line); match !== null; match = cell.exec(line)) {
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '\r\n') break;
  }
  return cells;
}

/** Of the rows of a page. */
const findRowSchema = (page: unknown): TObject =>
  (page as { properties: { data: { items: TObject } } }).properties.data.items;

const asText = (name: string): Column => ({ name, isNumber: false });

const nasty = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', ';', '1', 'a'),
  }),
);

t.test('a cell reads back as its text, with at most an apostrophe in front', (t) => {
  fc.assert(
    fc.property(fc.array(nasty, { minLength: 1, maxLength: 5 }), (texts) => {
      const columns = texts.map((_, index) => asText(`c${index}`));
      const row = Object.fromEntries(texts.map((text, index) => [`c${index}`, text]));
      const cells = readLine(writeLine(columns, row));
      // No assertion of tap is named after a text: findings/tap-line-separator.sh. An error that is thrown is made smaller and shown.
      assert.equal(cells.length, texts.length);
      for (const [index, cell] of cells.entries()) {
        const text = texts[index] ?? '';
        assert.ok(cell === text || cell === `'${text}`, 'it reads back');
        assert.ok(HARMLESS.test(cell) || !/^[=+\-@\t\r\n]/.test(cell), 'it is no formula');
      }
    }),
    { numRuns: 1_000 },
  );
  t.end();
});

t.test('a value is written as its escaped cell', (t) => {
  for (const [value, cell] of [
    [null, ''],
    [undefined, ''],
    ['0081234567', '"0081234567"'],
    ['-150000', '"-150000"'],
    [true, '"true"'],
    [{ a: '1' }, '"{""a"":""1""}"'],
    ['=1+1', `"'=1+1"`],
    ['+62812', '"+62812"'],
    ['+62 (812) 345-6789', '"+62 (812) 345-6789"'],
    ['+62812+A1', `"'+62812+A1"`],
    ['-1+1', `"'-1+1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t=1"`],
    ['\r=1', `"'\r=1"`],
    ['＝1', `"'＝1"`],
    ['a;b', '"a;b"'],
    ['say "hi"', '"say ""hi"""'],
    ['https://toko.example/a?b=c', '"https://toko.example/a?b=c"'],
    ['2026-08-02T10:15:30.123Z', '"2026-08-02T10:15:30.123Z"'],
  ] as const) {
    t.equal(writeCell(value), cell);
  }
  t.end();
});

t.test('amounts and numbers are bare, and other columns are quoted', (t) => {
  const columns = listColumns(Payment);
  t.same(
    columns.filter(({ isNumber }) => isNumber).map(({ name }) => name),
    ['amount', 'refunded_amount', 'refundable_amount', 'charged_back_amount'],
  );
  const measured = listColumns(
    Type.Object({ id: Type.String(), rate: Type.Number(), count: Type.Integer(), at: Type.Null() }),
  );
  t.equal(writeHead(measured), 'id,rate,count,at\r\n');
  const row = { id: '007', rate: 1234.5, count: 3, other: 'x' };
  t.equal(writeLine(measured, row), '"007",1234.5,3,\r\n');
  const indonesian = { separator: ';', decimal: ',' } as const;
  t.equal(writeHead(measured, indonesian), 'id;rate;count;at\r\n');
  t.equal(writeLine(measured, row, indonesian), '"007";1234,5;3;\r\n');
  t.equal(writeLine(measured, { rate: '1,2' }), ',"1,2",,\r\n', 'a text in a column of numbers');
  t.end();
});

t.test('each column of a CSV list that is named as an amount is bare', (t) => {
  const amounts = listRoutes()
    .filter(({ hasCsv }) => hasCsv === true)
    .flatMap(({ path, answers }) =>
      listColumns(findRowSchema(answers[200]))
        .filter(({ name }) => name.endsWith('amount'))
        .map(({ name, isNumber }) => ({ name: `${path} ${name}`, isNumber })),
    );
  t.ok(amounts.length > 0);
  t.same(
    amounts.filter(({ isNumber }) => !isNumber),
    [],
  );
  t.end();
});
