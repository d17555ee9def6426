// CSV cells: each text can be read back, and no spreadsheet evaluates one as a formula.
import fc from 'fast-check';
import t from 'tap';
import { writeCell, writeHead, writeLine } from '#gateway/lists/csv-cells.js';

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

const nasty = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', ';', '1', 'a'),
  }),
);

t.test('a cell reads back as its text, with at most an apostrophe in front', (t) => {
  fc.assert(
    fc.property(fc.array(nasty, { minLength: 1, maxLength: 5 }), (texts) => {
      const columns = texts.map((_, index) => `c${index}`);
      const row = Object.fromEntries(texts.map((text, index) => [`c${index}`, text]));
      const cells = readLine(writeLine(columns, row));
      t.equal(cells.length, texts.length);
      for (const [index, cell] of cells.entries()) {
        const text = texts[index] ?? '';
        t.ok(cell === text || cell === `'${text}`, JSON.stringify([text, cell]));
        t.ok(/^-\d+$/.test(cell) || !/^[=+\-@\t\r\n]/.test(cell), `no formula: ${cell}`);
      }
    }),
  );
  t.end();
});

t.test('a value is written as its escaped cell', (t) => {
  for (const [value, cell] of [
    [null, ''],
    [undefined, ''],
    ['150000', '150000'],
    ['-150000', '-150000'],
    [true, 'true'],
    [{ a: '1' }, '"{""a"":""1""}"'],
    ['=1+1', `"'=1+1"`],
    ['+62812', `"'+62812"`],
    ['-1+1', `"'-1+1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t=1"`],
    ['\r=1', `"'\r=1"`],
    ['＝1', `"'＝1"`],
    ['a;b', '"a;b"'],
    ['say "hi"', '"say ""hi"""'],
    ['https://toko.example/a?b=c', '"https://toko.example/a?b=c"'],
    ['2026-08-02T10:15:30.123Z', '2026-08-02T10:15:30.123Z'],
  ] as const) {
    t.equal(writeCell(value), cell);
  }
  t.equal(writeHead(['id', 'amount']), 'id,amount\r\n');
  t.equal(writeLine(['id', 'amount'], { amount: '1', other: 'x' }), ',1\r\n');
  t.end();
});
