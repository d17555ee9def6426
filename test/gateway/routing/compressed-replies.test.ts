// Compressed answers: long lists and details that a session reads, and nothing else.
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { useService } from '#test/support/standing/service.js';

const { api, baseUrl, databaseUrl, merchant } = await useService();
const sql = openPostgres(databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
const viewer = await makePerson(sql, 'viewer', merchant.merchantId);
const session = openApi(baseUrl, await beginSession(sql, viewer));

const LONG_TEXT = 'Kopi susu gula aren. '.repeat(20);
const metadata = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`line_${index}`, LONG_TEXT]),
);
const { body: payment } = await api.create({
  ...{ amount: '150000', payment_method: 'QRIS', metadata },
});
const PAYMENT = `/v1/merchants/me/payments/${String(payment['id'])}`;
const PAYMENTS = '/v1/merchants/me/payments?environment=TEST';

const ask = (of: Api, path: string, encoding: string): Promise<ApiAnswer> =>
  of.call(path, { headers: { 'accept-encoding': encoding } });

t.test('a session reads long lists and details compressed', async (t) => {
  for (const path of [PAYMENT, PAYMENTS]) {
    const plain = await ask(session, path, 'identity');
    const gzip = await ask(session, path, 'gzip, deflate, br');
    t.equal(plain.headers['content-encoding'], undefined, path);
    t.equal(gzip.headers['content-encoding'], 'gzip', path);
    t.equal(gunzipSync(gzip.bytes).toString(), plain.text, path);
    t.ok(gzip.bytes.length < plain.bytes.length / 4, `${gzip.bytes.length} bytes`);
    t.same([plain.headers.vary, gzip.headers.vary], ['Accept-Encoding', 'Accept-Encoding']);
    t.equal(gzip.headers['content-type'], 'application/json; charset=utf-8');
  }
});

t.test('an answer stays plain that is short, or for a client that refuses gzip', async (t) => {
  const short = await ask(session, '/v1/merchants/me', 'gzip');
  t.same([short.status, short.headers['content-encoding']], [200, undefined]);
  const refused = await ask(session, PAYMENT, 'gzip;q=0, br');
  t.same([refused.status, refused.headers['content-encoding']], [200, undefined]);
});

t.test('an answer to a key, and an error, stay plain', async (t) => {
  const byKey = await ask(api, `/v1/payments/${String(payment['id'])}`, 'gzip');
  t.equal(byKey.headers['content-encoding'], undefined);
  t.ok(byKey.bytes.length > 4_096, `${byKey.bytes.length} bytes`);
  const missing = await ask(session, `${PAYMENT}x`, 'gzip');
  t.same([missing.status, missing.headers['content-encoding']], [404, undefined]);
});
