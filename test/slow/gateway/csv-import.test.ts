// CSV files in LibreOffice under an Indonesian locale: amounts are numbers, and ids, references and telephone numbers arrive as
// they were sent, from a file with the defaults and from one for Indonesian settings. LibreOffice writes what it read as flat
// ODS, which says of each cell whether it is a number or a text.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { startService } from '#test/support/processes.js';
import { needProgram } from '#test/support/suite/programs.js';

const run = promisify(execFile);
const ME = '/v1/merchants/me';
const CSV = { headers: { accept: 'text/csv' } };
/** References that a program takes for numbers, dates, formulas or parts of other cells. */
const REFERENCES = [
  '0081234567',
  '1234567890123456789',
  '1E5',
  '1.234,5',
  '3-11-2026',
  'a;b,c "d"',
];
const PHONE = '+6281234567890';
/** The language id of Indonesian. */
const INDONESIAN = 1057;
const UTF_8 = 76;
const FILES = [
  { query: '', separator: ',' },
  { query: '?separator=semicolon&decimal=comma', separator: ';' },
  { query: '?separator=tab&decimal=comma', separator: '\t' },
];

const soffice = needProgram('soffice', 'libreoffice-calc-nogui');
const folder = await mkdtemp(join(tmpdir(), 'kasir-csv-'));
t.teardown(() => rm(folder, { recursive: true, force: true }));
const service = await startService(t);
const sql = openPostgres(service.databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
const key = openApi(service.baseUrl, service.merchant.testKey);
const owner = await makePerson(sql, 'owner', service.merchant.merchantId);
const session = openApi(service.baseUrl, await beginSession(sql, owner));

type Cell = string | number;

/** The rows of a file by column name: a cell that LibreOffice took for a number is one. */
async function importFile(text: string, separator: string): Promise<Record<string, Cell>[]> {
  const file = join(folder, 'import.csv');
  await writeFile(file, text);
  // Separator, text delimiter, character set, first line, formats of columns, language, and quoted fields as text.
  const options = [
    separator.charCodeAt(0),
    '"'.charCodeAt(0),
    UTF_8,
    1,
    '',
    INDONESIAN,
    true,
    false,
  ];
  await run(soffice, [
    ...[`-env:UserInstallation=file://${folder}/profile`, '--headless', '--convert-to', 'fods'],
    ...[`--infilter=CSV:${options.join(',')}`, '--outdir', folder, file],
  ]);
  const sheet = await readFile(join(folder, 'import.fods'), 'utf8');
  const [head = [], ...rows] = [
    ...sheet.matchAll(/<table:table-row[^>]*>([^]*?)<\/table:table-row>/g),
  ]
    .map(([, row = '']) => readCells(row))
    .filter((cells) => cells.some((cell) => cell !== ''));
  return rows.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at] ?? ''])));
}

function readCells(row: string): Cell[] {
  const cells = row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>([^]*?)<\/table:table-cell>)/g);
  return [...cells].flatMap(([, attributes = '', content = '']) => {
    const repeated = Number(/number-columns-repeated="(\d+)"/.exec(attributes)?.[1] ?? 1);
    const number = /office:value="([^"]+)"/.exec(attributes)?.[1];
    const text = content.replaceAll(/<[^>]+>|^\s+|\s+$/g, '');
    const cell = number === undefined ? readEntities(text) : Number(number);
    return Array.from({ length: repeated }, () => cell);
  });
}

const readEntities = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

t.test(
  'payments keep their amounts, references and telephone numbers in LibreOffice',
  async (t) => {
    const sent = REFERENCES.map((reference, index) => ({
      ...{ amount: String(1_500_000 + index), reference_id: reference, payment_method: 'QRIS' },
      ...{ customer_name: '=SUM(A1:A9)', customer_phone: PHONE },
    }));
    for (const payment of sent) t.equal((await key.create(payment)).status, 201);
    for (const { query, separator } of FILES) {
      const file = await session.call(`${ME}/payments${query}`, CSV);
      t.equal(file.status, 200, query);
      const rows = await importFile(file.text, separator);
      t.same(
        rows.map(
          ({ amount, reference_id: reference, customer_phone: phone, customer_name: name }) => {
            return { amount, reference, phone, name };
          },
        ),
        sent.toReversed().map(({ amount, reference_id: reference }) => {
          return { amount: Number(amount), reference, phone: PHONE, name: "'=SUM(A1:A9)" };
        }),
        `separator ${JSON.stringify(separator)}`,
      );
      t.match(rows[0], { id: /^pay_/, currency: 'IDR', status: 'pending' });
    }
  },
);

t.test('the balance and its statement keep their amounts in LibreOffice', async (t) => {
  const { body } = await key.create({ amount: '2500000', payment_method: 'QRIS' });
  await key.simulate(body['id'], 'paid');
  for (const { query, separator } of FILES) {
    const balance = await session.call(`${ME}/balance${query}`, CSV);
    const [row] = await importFile(balance.text, separator);
    t.match(row, { currency: 'IDR', available: 2_500_000, pending: 0 });
    const from = `${query === '' ? '?' : `${query}&`}from=2026-01-01`;
    const statement = await importFile(
      (await session.call(`${ME}/balance/statement${from}`)).text,
      separator,
    );
    const paid = {
      account: 'available',
      amount: 2_500_000,
      balance: 2_500_000,
      object: body['id'],
    };
    t.match(
      statement.filter(({ reason }) => reason === 'payment_paid'),
      [paid],
    );
    const closing = statement.filter(({ reason }) => reason === 'closing_balance');
    t.match(closing, [{ account: 'available', amount: '', balance: 2_500_000 }]);
  }
});
