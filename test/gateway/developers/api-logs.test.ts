// API logs: requests with API keys appear within seconds, masked, and only for their own merchant. Daily partitions are
// created and dropped. Records that do not fit are dropped and counted.
import t from 'tap';
import { ApiLogWriter, type LoggedExchange } from '#gateway/http/api-log.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { maintainDays } from '#store/postgres/merchants/write-api-logs.js';
import { beginSession, makeMerchant, makePerson } from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { readMetrics, startProcess, startService } from '#test/support/processes.js';

const LOGS = '/v1/merchants/me/api-logs';
const CARD = '4111 1111 1111 1111';

const service = await startService(t);
const sql = openPostgres(service.databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const dropped = await readDays();
await sql.unsafe(`drop table ${dropped.at(-1)}`);
await sql`create table api_logs_20200101 partition of api_logs
          for values from ('2020-01-01 00:00+00') to ('2020-01-02 00:00+00')`;
await startProcess(t, 'webhooks', service.variables);
const { testKey, liveKey, merchantId } = service.merchant;
const key = openApi(service.baseUrl, testKey);
const developer = await makePerson(sql, 'developer', merchantId);
const api = openApi(service.baseUrl, await beginSession(sql, developer));
const foreign = await makePerson(sql, 'owner', await makeMerchant(sql));
const otherMerchant = openApi(service.baseUrl, await beginSession(sql, foreign));

interface Log {
  readonly id: string;
  readonly [name: string]: unknown;
}
const readRows = (answer: ApiAnswer): Log[] => answer.body['data'] as Log[];
const readRequestId = (answer: ApiAnswer): string => String(answer.headers['service-request-id']);

const waitForLog = (answer: ApiAnswer): Promise<Log> =>
  waitUntil('the request is logged', async () => {
    const found = await api.call(`${LOGS}/${readRequestId(answer)}`);
    return found.status === 200 ? (found.body as unknown as Log) : null;
  });

const CUSTOMER = {
  customer_name: 'Budi Santoso',
  customer_email: 'budi@example.com',
  customer_phone: '+628111234',
};

t.test('a successful request is logged without credentials and customer data', async (t) => {
  const body = { amount: '20000', description: 'whsec_abc sk_test_xyz', ...CUSTOMER };
  const made = await key.create(body, 'order-1');
  const log = await waitForLog(made);
  t.match(log, {
    object: 'api_log',
    environment: 'TEST',
    method: 'POST',
    path: '/v1/payments',
    query: null,
    status: 201,
    code: null,
    idempotency_key: 'order-1',
    key: `${testKey.slice(0, 12)}…${testKey.slice(-4)}`,
    request_body: { amount: '20000', customer_name: '[masked]', customer_phone: '[masked]' },
    response_body: { id: made.body['id'], status: 'pending', customer_email: '[masked]' },
  });
  const stored = JSON.stringify(await sql`select * from api_logs`);
  for (const text of [testKey, ...Object.values(CUSTOMER), 'whsec_abc', 'sk_test_xyz']) {
    t.notOk(stored.includes(text), `no ${text}`);
  }
  const list = await waitForLog(await key.call('/v1/payments?limit=5&reference_id=x'));
  t.match(list, {
    query: 'limit=5&reference_id=[masked]',
    response_body: { data: /^\[\d objects]$/ },
  });
  t.equal((await otherMerchant.call(`${LOGS}/${log.id}`)).code, 'api_log_not_found');
  t.same(readRows(await otherMerchant.call(LOGS)), []);
});

t.test('a failed request is logged without card numbers', async (t) => {
  const card = await key.create({ amount: '20000', description: CARD }, CARD.replaceAll(' ', ''));
  t.match(await waitForLog(card), {
    status: 400,
    code: 'card_data_refused',
    request_body: '[removed]',
    idempotency_key: '[removed]',
  });
  const broken = await key.call('/v1/payments', {
    method: 'POST',
    body: '{"amount":\u001f\u001e"1"',
  });
  t.match(await waitForLog(broken), {
    status: 400,
    code: 'body_invalid',
    request_body: '[no JSON]',
  });
  const gated = await openApi(service.baseUrl, liveKey).call('/v1/payments');
  t.match(await waitForLog(gated), { status: 400, code: 'live_not_enabled', environment: 'LIVE' });
  const stored = JSON.stringify(await sql`select * from api_logs`).replaceAll(' ', '');
  t.notOk(stored.includes(CARD.replaceAll(' ', '')));
});

t.test('logs are listed by filter and page, and as a CSV file', async (t) => {
  const count = async (query: string): Promise<number> =>
    readRows(await api.call(`${LOGS}?limit=100&${query}`)).length;
  const all = await count('');
  t.ok(all >= 5);
  t.equal(await count('status=201'), 1);
  t.equal(await count('method=GET'), 2);
  t.equal(await count('path=/v1/payments'), all);
  t.equal(await count('path=/v1/refunds'), 0);
  t.equal(await count('environment=LIVE'), 1);
  t.equal(await count('from=2026-01-01&to=2100-01-01'), all);
  t.equal(await count('to=2026-01-01'), 0);
  const [newest] = readRows(await api.call(`${LOGS}?limit=1`));
  t.equal(await count(`request_id=${newest?.id}`), 1);
  const { next_cursor: cursor } = (await api.call(`${LOGS}?limit=${all - 1}`)).body;
  t.equal(readRows(await api.call(`${LOGS}?cursor=${cursor as string}`)).length, 1);
  const file = await api.call(LOGS, { headers: { accept: 'text/csv' } });
  t.equal(file.text.split('\r\n').length, all + 2);
  for (const query of ['status=9', 'method=get', 'path=x', 'request_id=1', 'from=x', 'cursor=x']) {
    t.equal((await api.call(`${LOGS}?${query}`)).code, 'field_invalid', query);
  }
});

/** Reads the names of the partitions. */
async function readDays(): Promise<string[]> {
  const days = await sql<{ name: string }[]>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'api_logs'::regclass order by 1`;
  return days.map(({ name }) => name);
}

t.test('the webhooks process creates missing partitions and drops old ones', async (t) => {
  t.same(await readDays(), dropped, 'the missing day was created, the old one dropped');
  t.equal(dropped.length, 5, 'yesterday, today and the next three days');
  await Promise.all([maintainDays(sql), maintainDays(sql)]);
  t.same(await readDays(), dropped, 'concurrent runs change nothing');
});

t.test('a record that cannot be appended is dropped and counted', async (t) => {
  let dropped = 0;
  const appended: string[] = [];
  let isStored = Promise.resolve(false);
  let monotonicMs = 0;
  const log = new ApiLogWriter({
    append: (page) => {
      appended.push(page.toString());
      return isStored;
    },
    onDropped: (count) => (dropped += count),
    nowMs: Date.now,
    monotonicMs: () => monotonicMs,
  });
  const exchange = {
    ...{ requestId: 'req_1', credential: {}, method: 'GET', path: '/v1/balance', query: '' },
    ...{ idempotencyKey: '', status: 200, code: null, durationMs: 1 },
    ...{ requestBody: '', responseBody: 'x'.repeat(20_000) },
  } as unknown as LoggedExchange;
  log.note(exchange);
  log.flush();
  await new Promise(setImmediate);
  t.match(appended[0], /"\[too long]"/);
  log.note(exchange);
  t.equal(dropped, 2, 'the refused page and the record during the pause are dropped');
  monotonicMs = 1_000;
  isStored = Promise.reject(new Error('Redis is unreachable'));
  log.note(exchange);
  log.flush();
  await new Promise(setImmediate);
  t.equal(dropped, 3);
  const [gateway] = service.gateways;
  if (gateway === undefined) throw new Error('there is no gateway');
  t.match(await readMetrics(gateway), /^kasir_api_logs_dropped_total 0$/m);
});
