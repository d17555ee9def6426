// Card numbers: refused in every free-text field, and found nowhere afterwards: not in a log, not in Redis's
// append-only file, not in Postgres. What was accepted meanwhile is found in all of them, so that the search
// is known to find.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import t from 'tap';
import { isValidationError, parseCreateRequest } from '#actors/core/requests/create-payment.js';
import { parseRefundRequest } from '#actors/core/requests/create-refund.js';
import { openPostgres } from '#store/postgres/client.js';
import { openApi } from '../support/api.js';
import { type Card, createRandom, makeCards } from './cards.js';
import { startService } from '../support/processes.js';
import { startPostgres } from '../support/servers.js';

const SEED = 20_261_121;
const NUMBERS = 10_000;
const SENT = 66;
/** Beside each number that is sent. */
const MARK = 'zqcardmark';
const CONTROL = 'zqcontrolmark';

const cards = makeCards(NUMBERS, createRandom(SEED));
const PAYMENT = 'pay_00000000000000000000000000';

/** A body for each free-text field, with the path that asks for it. */
const FIELDS: readonly [field: string, path: string, make: (text: string) => object][] = [
  ['description', '/v1/payments', (text) => ({ amount: '1000', description: text })],
  ['reference_id', '/v1/payments', (text) => ({ amount: '1000', reference_id: text })],
  ['customer_name', '/v1/payments', (text) => ({ amount: '1000', customer_name: text })],
  ['metadata', '/v1/payments', (text) => ({ amount: '1000', metadata: { a: 'b', c: text } })],
  ['metadata key', '/v1/payments', (text) => ({ amount: '1000', metadata: { [text]: 'b' } })],
  ['reason', '/v1/refunds', (text) => ({ payment_id: PAYMENT, reason: text })],
  ['refund reference', '/v1/refunds', (text) => ({ payment_id: PAYMENT, reference_id: text })],
];

const CONTEXTS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `kartu ${text}`,
  (text) => `${text}, exp 12/29`,
  (text) => `order 12, ${text} (lunas)`,
  (text) => `no.${text}#`,
];

function readCode(path: string, body: object): string {
  if (path === '/v1/refunds') {
    const parsed = parseRefundRequest(body);
    return 'code' in parsed ? parsed.code : 'accepted';
  }
  const parsed = parseCreateRequest(body);
  return isValidationError(parsed) ? parsed.code : 'accepted';
}

t.test(`${NUMBERS} numbers in every field`, (t) => {
  const missed: string[] = [];
  for (const [index, { number, written }] of cards.entries()) {
    const context = CONTEXTS[index % CONTEXTS.length] ?? String;
    for (const [field, path, make] of FIELDS) {
      const code = readCode(path, make(context(written)));
      if (code !== 'card_data_refused') missed.push(`${field} ${number} ${code}`);
    }
  }
  t.strictSame(missed, []);
  t.end();
});

t.test('by HTTP, and found nowhere', async (t) => {
  const cluster = await startPostgres(t);
  const databaseUrl = await cluster.createDatabase('cards');
  const service = await startService(t, { databaseUrl, variables: { LOG_LEVEL: 'trace' } });
  const api = openApi(service.baseUrl, service.merchant.testKey);
  const post = (path: string, body: object, headers = {}) =>
    api.call(path, { method: 'POST', body, headers });
  const sent = cards.slice(0, SENT);

  for (const [index, card] of sent.entries()) {
    for (const [field, path, make] of FIELDS) {
      const answer = await post(path, make(`${MARK} ${card.written}`));
      const what = `${field} ${card.number}`;
      if (answer.status !== 400 || answer.code !== 'card_data_refused') t.fail(what, answer);
      if (mentions(answer.text, card)) t.fail(`${what} is repeated`, answer);
    }
    const { number } = card;
    const others = [
      await post('/v1/payments', { amount: '1000', pan: `${MARK} ${number}` }),
      await post('/v1/payments', { amount: '1000', [`${MARK} ${number}`]: 'x' }),
      await post('/v1/payments', { amount: `${MARK}${number}` }),
      await post('/v1/payments', { amount: '1000', card_number: number, cvv: '123' }),
      await api.call(`/v1/payments?reference_id=${MARK}%20${number}`),
      await api.call(`/v1/payments/${number}`),
      await post('/v1/payments', { amount: 'x' }, { 'idempotency-key': `${MARK} ${number}` }),
      await post(
        '/v1/refunds',
        { payment_id: PAYMENT },
        { 'idempotency-key': `${MARK} ${number}` },
      ),
    ];
    t.ok(
      others.every(({ status }) => status === 400 || status === 404),
      `number ${index}`,
    );
    t.notOk(others.some(({ text }) => mentions(text, card)));
  }

  const control = await api.create({ amount: '1000', description: CONTROL }, CONTROL);
  t.equal(control.status, 201);
  await api.simulate(control.body['id'], 'paid');

  const numbers = new Set(sent.map(({ number }) => number));
  await t.test('logs', (t) => {
    const lines = [...service.gateways, ...service.payments].flatMap((process) => process.lines());
    t.ok(lines.length > 0);
    t.strictSame(
      lines.filter((line) => line.includes(MARK) || holdsNumber(line, numbers)),
      [],
    );
    t.end();
  });
  await t.test("Redis's files", async (t) => {
    const redis = new Redis(service.redis.url);
    const [, folder = ''] = await redis.config('GET', 'dir');
    redis.disconnect();
    t.strictSame(search(folder, numbers), { [CONTROL]: true, [MARK]: false, number: false });
  });
  await t.test("Postgres's files and rows", async (t) => {
    const sql = openPostgres(databaseUrl, 'test', 1);
    t.teardown(() => sql.end({ timeout: 1 }));
    const [place] = await sql<{ data_directory: string }[]>`show data_directory`;
    const tables = await sql<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = 'public'`;
    let found = '';
    for (const { name } of tables) {
      const rows = await sql<{ row: string }[]>`select t::text as row from ${sql(name)} t`;
      for (const { row } of rows) found += `${row}\n`;
    }
    t.match(found, CONTROL);
    t.notOk(found.includes(MARK) || holdsNumber(found, numbers));
    await sql`checkpoint`;
    const wanted = { [CONTROL]: true, [MARK]: false, number: false };
    t.strictSame(search(place?.data_directory ?? '', numbers), wanted);
  });
});

const mentions = (text: string, { number, written }: Card): boolean =>
  text.includes(number) || text.includes(written);

function holdsNumber(text: string, numbers: ReadonlySet<string>): boolean {
  return (text.match(/[0-9]{12,19}/g) ?? []).some((digits) => numbers.has(digits));
}

/** Looks through every file below a folder, as bytes. */
function search(folder: string, numbers: ReadonlySet<string>): Record<string, boolean> {
  const found = { [CONTROL]: false, [MARK]: false, number: false };
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name);
    if (!statSync(file).isFile()) continue;
    const text = readFileSync(file, 'latin1');
    found[CONTROL] ||= text.includes(CONTROL);
    found[MARK] ||= text.includes(MARK);
    found.number ||= holdsNumber(text, numbers);
  }
  return found;
}
