// A merchant's lists for its users: the same objects as with an API key, and CSV files of any length. An incomplete
// file is recognisable: its connection is closed without the last chunk.
import { connect } from 'node:net';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makeMerchant, makePerson } from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { startService } from '#test/support/processes.js';
import { fillTables } from '#test/support/servers.js';

const ME = '/v1/merchants/me';
const CSV = { headers: { accept: 'text/csv' } };
/** Rows of a file that is larger than the buffers of both ends. */
const MANY = 40_000;
const COMPARED = ['at', 'account', 'amount', 'currency', 'reason', 'cause_id'];
const LAST_CHUNK = '\r\n0\r\n\r\n';

const service = await startService(t, { gateways: 2 });
const sql = openPostgres(service.databaseUrl, 'test', 3);
t.teardown(() => sql.end({ timeout: 1 }));
const key = openApi(service.baseUrl, service.merchant.testKey);
const merchantId = service.merchant.merchantId;
const token = await beginSession(sql, await makePerson(sql, 'viewer', merchantId));
const viewer = openApi(service.baseUrl, token);
const foreign = await makePerson(sql, 'owner', await makeMerchant(sql));
const otherMerchant = openApi(service.baseUrl, await beginSession(sql, foreign));

const readData = (answer: ApiAnswer): Record<string, unknown>[] =>
  answer.body['data'] as Record<string, unknown>[];

t.before(async () => {
  for (const [index, name] of [
    'Budi "B" Santoso',
    '=HYPERLINK("x")',
    'Siti, Jkt',
    null,
  ].entries()) {
    const body = {
      ...{ amount: String(20_000 + index), reference_id: `order-${index}`, payment_method: 'QRIS' },
      ...(name === null ? {} : { customer_name: name, customer_phone: `+62811${index}` }),
      ...{ customer_email: `Pelanggan${index}@example.com`, metadata: { cart: `c${index}` } },
    };
    const { body: made } = await key.create(body);
    if (index < 2) await key.simulate(made['id'], 'paid');
    if (index === 0) {
      const refund = { payment_id: made['id'], amount: '5000', reason: '+salah' };
      await key.call('/v1/refunds', { method: 'POST', body: refund });
    }
  }
});

t.test('a list in a session equals the list with a key of the same merchant', async (t) => {
  for (const [path, query] of [
    ['payments', 'limit=2'],
    ['payments', 'status=paid&payment_method=QRIS'],
    ['payments', 'reference_id=order-2'],
    ['refunds', 'status=SUCCEEDED'],
    ['events', 'type=payment.paid'],
    ['balance', ''],
  ]) {
    const shown = await viewer.call(`${ME}/${path}?environment=TEST&${query}`);
    t.equal(shown.text, (await key.call(`/v1/${path}?${query}`)).text, `${path} ${query}`);
    const strangers = await otherMerchant.call(`${ME}/${path}?${query}`);
    if (path !== 'balance') t.same(readData(strangers), [], 'nothing of another merchant');
  }
  const { next_cursor: cursor } = (await viewer.call(`${ME}/payments?limit=3`)).body;
  const rest = await viewer.call(`${ME}/payments?limit=3&cursor=${cursor as string}`);
  t.match(readData(rest), [{ reference_id: 'order-0' }]);
  t.same(readData(await viewer.call(`${ME}/payments?environment=LIVE`)), []);
  for (const query of [
    'environment=PROD',
    'status=gone',
    'customer=',
    'customer=4242424242424242',
  ]) {
    t.equal((await viewer.call(`${ME}/payments?${query}`)).status, 400, query);
  }
});

t.test('payments are found by a part of the name, e-mail address or phone number', async (t) => {
  for (const [text, count] of [
    ['budi "b"', 1],
    ['PELANGGAN2@', 1],
    ['+628111', 1],
    ['example.com', 4],
    ['order-1', 0],
    ['cart', 0],
  ] as const) {
    const query = `customer=${encodeURIComponent(text)}`;
    t.equal(readData(await viewer.call(`${ME}/payments?${query}`)).length, count, text);
  }
  t.equal(readData(await viewer.call(`${ME}/payments?customer=example&status=paid`)).length, 2);
});

t.test('a list as CSV is one file with all matching rows', async (t) => {
  const file = await viewer.call(`${ME}/payments?status=paid`, CSV);
  t.equal(file.status, 200);
  t.match(file.headers, {
    'content-type': /^text\/csv; charset=utf-8/,
    'content-disposition': /^attachment; filename="payments-TEST-\d{4}-\d\d-\d\d.csv"$/,
    'x-content-type-options': 'nosniff',
  });
  const lines = file.text.split('\r\n');
  t.match(lines[0], /^id,object,environment,status,amount,currency,description,reference_id,/);
  t.match(
    lines[1],
    /,20001,"IDR",,"order-1","QRIS","'=HYPERLINK\(""x""\)","Pelanggan1@example.com","\+628111",/,
  );
  t.match(lines[2], /,20000,"IDR",,"order-0","QRIS","Budi ""B"" Santoso",.*"{""cart"":""c0""}",/);
  t.same([lines.length, lines[3]], [4, '']);
  t.match(
    (await viewer.call(`${ME}/refunds`, CSV)).text,
    /\r\n"ref_.*,"SUCCEEDED",5000,"IDR","'\+salah",/,
  );
  t.match(
    (await viewer.call(`${ME}/events`, CSV)).text,
    /^id,type,created_at,data\r\n"evt_.*,"payment\./,
  );
  t.equal(
    (await viewer.call(`${ME}/balance`, CSV)).text,
    'currency,available,pending,in_transit,reserved\r\n"IDR",35001,0,0,0\r\n',
  );
  t.equal(
    (await otherMerchant.call(`${ME}/refunds`, CSV)).text.split('\r\n').length,
    2,
    'only the column names',
  );
  t.equal((await viewer.call(`${ME}/payments?limit=3`, CSV)).code, 'field_invalid');
  t.equal((await viewer.call(`${ME}/payments?cursor=x`, CSV)).code, 'field_invalid');
});

/** Stores MANY payments of the merchant. */
async function makeLongList(): Promise<void> {
  await fillTables(sql, async (tx) => {
    await tx`
      insert into payments (id, merchant_id, environment, status, amount, currency, payment_method,
                            reference_id, created_at, version, snapshot)
      select 'pay_' || lpad(i::text, 26, '0'), merchant_id, 'LIVE', status, amount, currency,
             payment_method, reference_id, created_at - i * interval '1 second', version,
             replace(snapshot, id, 'pay_' || lpad(i::text, 26, '0'))
        from payments, generate_series(1, ${MANY}::integer) as i
       where merchant_id = ${merchantId} and reference_id = 'order-0'`;
  });
}

t.test('a balance statement ends with the current balance', async (t) => {
  const path = `${ME}/balance/statement`;
  const day = new Date().toISOString().slice(0, 10);
  const answer = await viewer.call(`${path}?from=${day}`);
  t.equal(answer.status, 200);
  t.match(answer.headers['content-disposition'], `filename="statement-TEST-${day}.csv"`);
  const november = await viewer.call(`${path}?from=2026-10-31T17:00:00Z`);
  const named = /filename="statement-TEST-2026-11-01\.csv"/;
  t.match(november.headers['content-disposition'], named, 'the day in Jakarta');
  const rows = answer.text
    .replaceAll('"', '')
    .split('\r\n')
    .map((line) => line.split(','));
  const balance = await key.call('/v1/balance');
  const closing = rows.find(([, account, , , , reason]) => {
    return account === 'available' && reason === 'closing_balance';
  });
  t.equal(
    closing?.[3],
    readData(balance)[0]?.['available'],
    'the closing balance equals the balance',
  );
  const paid = rows.filter(([, , , , , reason]) => reason === 'payment_paid');
  t.ok(paid.length >= 2);
  t.match(paid[0]?.[6], /^pay_/);
  t.notMatch(answer.text, /rail_clearing|sandbox/);
  t.equal((await otherMerchant.call(`${path}?from=${day}`)).text.split('\r\n').length, 2);
  for (const query of ['', '?from=x', `?from=${day}&to=2020-01-01`, `?from=${day}&limit=1`]) {
    t.equal((await viewer.call(path + query)).status, 400, query);
  }
});

t.test('the movements of the balance are those of the statement, newest first', async (t) => {
  const path = `${ME}/balance/movements`;
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const { text } = await viewer.call(`${ME}/balance/statement?from=${day}`);
  const lines = text
    .replaceAll('"', '')
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(','))
    .filter(([, , amount]) => amount !== '')
    .map(([at, account, amount, , currency, reason, cause]) => {
      return { at, account, amount, currency, reason, cause_id: cause };
    });
  const rows: Record<string, unknown>[] = [];
  for (let cursor = ''; ;) {
    const page = await viewer.call(`${path}?limit=1${cursor}`);
    rows.push(...readData(page));
    if (page.body['next_cursor'] === null) break;
    cursor = `&cursor=${page.body['next_cursor'] as string}`;
  }
  t.ok(rows.length >= 5, 'two payments and a refund, with the accounts between');
  const write = (row: object): string => JSON.stringify(row, COMPARED);
  t.same(rows.map(write).sort(), lines.map(write).sort());
  const times = rows.map(({ at }) => String(at));
  t.same(times, times.toSorted().reverse());
  t.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  t.match(rows[0], { environment: 'TEST', cause_type: 'payment', cause_id: /^pay_/ });
  const available = await viewer.call(`${path}?account=available&from=${day}`);
  const amounts = readData(available).map(({ amount }) => Number(amount));
  t.equal(
    amounts.reduce((sum, amount) => sum + amount),
    35_001,
    'they make the balance',
  );
  t.same(readData(await viewer.call(`${path}?to=${day}`)), []);
  t.same(readData(await viewer.call(`${path}?environment=LIVE`)), []);
  t.same(readData(await otherMerchant.call(path)), []);
  for (const query of ['account=fees', 'from=x', 'to=x', 'cursor=x', 'environment=x']) {
    t.match(await viewer.call(`${path}?${query}`), { status: 400, code: 'field_invalid' }, query);
  }
});

/** A client of the long list that stops reading after its first bytes. */
function openSlowReader(port: number) {
  const socket = connect(port, '127.0.0.1');
  const reader = { socket, bytes: 0, head: '', tail: '', isClosed: false };
  socket.on('data', (chunk) => {
    reader.bytes += chunk.length;
    if (reader.head === '') reader.head = chunk.toString('latin1');
    reader.tail = (reader.tail + chunk.toString('latin1')).slice(-LAST_CHUNK.length);
  });
  socket.on('close', () => (reader.isClosed = true)).on('error', () => undefined);
  socket.write(
    `GET ${ME}/payments?environment=LIVE HTTP/1.1\r\nHost: x\r\nAccept: text/csv\r\n` +
      `Authorization: Bearer ${token}\r\n\r\n`,
  );
  socket.once('data', () => socket.pause());
  return reader;
}

t.test('slow readers of one merchant leave room for the files of others', async (t) => {
  await makeLongList();
  const [first, second] = service.gateways;
  const readers = Array.from({ length: 16 }, () => openSlowReader(first?.port ?? 0));
  t.teardown(() => readers.forEach(({ socket }) => socket.destroy()));
  await waitUntil('all are answered', () => readers.every(({ head }) => head !== ''));
  const statuses = readers.map(({ head }) => Number(head.slice(9, 12))).sort((a, b) => a - b);
  t.same(statuses, [...Array<number>(3).fill(200), ...Array<number>(13).fill(429)]);
  const refused = await viewer.call(`${ME}/payments`, CSV);
  t.equal(refused.code, 'rate_limited');
  t.equal(refused.headers['retry-after'], '10');
  t.equal((await otherMerchant.call(`${ME}/payments`, CSV)).status, 200, 'of another merchant');
  t.equal((await viewer.call(`${ME}/payments?limit=2`)).status, 200, 'a page of the same merchant');
  const other = openApi(second?.baseUrl ?? '', token);
  t.equal((await other.call(`${ME}/payments`, CSV)).status, 200, 'at another gateway');
  for (const { socket } of readers) socket.destroy();
  await waitUntil('the places are free', async () => {
    return (await viewer.call(`${ME}/payments`, CSV)).status === 200;
  });
});

t.test('a long CSV file is complete, or its connection is closed', async (t) => {
  const file = await viewer.call(`${ME}/payments?environment=LIVE`, CSV);
  const ids = file.text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',')[0]);
  t.same([ids.length, new Set(ids).size], [MANY, MANY]);

  const open = () => openSlowReader(service.gateways[0]?.port ?? 0);
  const broken = open();
  await waitUntil('the first bytes arrived', () => broken.bytes > 0);
  await sql`alter table payments rename to payments_away`;
  broken.socket.resume();
  await waitUntil('the connection was closed', () => broken.isClosed);
  t.ok(broken.bytes < file.text.length, 'the file is incomplete');
  t.not(broken.tail, LAST_CHUNK, 'the last chunk is missing');
  t.match(await viewer.call(`${ME}/payments`, CSV), { status: 503 });
  await sql`alter table payments_away rename to payments`;

  const left = open();
  await waitUntil('the first bytes arrived', () => left.bytes > 0);
  left.socket.destroy();
  const [gateway] = service.gateways;
  await gateway?.stop();
  t.pass('the gateway stops without waiting for the client');
});
