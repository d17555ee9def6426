// Requests of all three kinds of callers with the bytes that PHP's json_encode writes: `[]` for an empty array, whether a
// list or a map was meant, and null for a variable without a value.
import t, { type Test } from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson } from '../support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '../support/api.js';
import { createTestMerchant, uniqueWord } from '../support/processes.js';
import { useService } from '../support/standing/service.js';

const service = await useService();
const { merchantId, testKey } = service.merchant;
const sql = openPostgres(service.databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const api = openApi(service.baseUrl, testKey);
const owner = await makePerson(sql, 'owner', merchantId);
const admin = await makePerson(sql, 'admin', null);
const dashboard = openApi(service.baseUrl, await beginSession(sql, owner));
const office = openApi(service.baseUrl, await beginSession(sql, admin));

const JSON_HEADERS = { 'content-type': 'application/json' };
type Method = 'POST' | 'PUT' | 'PATCH';

/** `text` is sent byte for byte. */
const send = (of: Api, target: `${Method} ${string}`, text: string, key?: string) => {
  const [method, path = ''] = target.split(' ') as [Method, string];
  const headers = { ...JSON_HEADERS, ...(key === undefined ? {} : { 'idempotency-key': key }) };
  return of.call(path, { method, body: text, headers });
};

function expectStatus(t: Test, answer: ApiAnswer, status: number): void {
  t.equal(answer.status, status, answer.text);
}

/** json_encode escapes slashes. */
const WITH_NULLS = String.raw`{"amount":"150000","currency":null,"description":null,"reference_id":"order-1","payment_method":null,"customer_name":null,"customer_email":null,"customer_phone":null,"success_url":"https:\/\/toko.example\/ok","cancel_url":null,"metadata":[],"expires_in":null}`;
const WITHOUT =
  '{"amount":"150000","reference_id":"order-1","success_url":"https://toko.example/ok"}';

t.test('a create with metadata [] and nulls is the create without these fields', async (t) => {
  const key = uniqueWord();
  const created = await send(api, 'POST /v1/payments', WITH_NULLS, key);
  expectStatus(t, created, 201);
  t.strictSame(created.body['metadata'], {});
  t.match(created.body, {
    currency: 'IDR',
    customer_name: null,
    payment_method: null,
  });
  const variants = [
    WITHOUT,
    WITHOUT.replace('}', ',"metadata":null}'),
    WITHOUT.replace('}', ',"metadata":{}}'),
    WITHOUT.replace('}', ',"metadata":[],"customer_phone":null}'),
    WITHOUT.replace('}', ',"metadata":{"note":null}}'),
  ];
  for (const text of variants) {
    const repeated = await send(api, 'POST /v1/payments', text, key);
    expectStatus(t, repeated, 200);
    t.equal(repeated.text, created.text, text);
  }
  const other = await send(
    api,
    'POST /v1/payments',
    WITHOUT.replace('}', ',"expires_in":60}'),
    key,
  );
  t.equal(other.code, 'idempotency_conflict');
});

t.test('null does not replace a required field, and a list is no object', async (t) => {
  const cases: readonly (readonly [text: string, code: string, param: string])[] = [
    ['{"amount":null}', 'amount_invalid', 'amount'],
    ['{"amount":"150000","metadata":["a"]}', 'field_invalid', 'metadata'],
    ['{"amount":"150000","description":[]}', 'field_invalid', 'description'],
    ['{"amount":"150000","colour":null}', 'body_invalid', 'colour'],
    ['[]', 'amount_invalid', 'amount'],
  ];
  for (const [text, code, param] of cases) {
    const answer = await send(api, 'POST /v1/payments', text);
    t.match(answer.body, { error: { code, param } }, text);
  }
});

t.test('a refund and a payout take nulls, and their keys too', async (t) => {
  const { id } = (await api.create({ amount: '150000', payment_method: 'QRIS' })).body;
  await api.simulate(id, 'paid');
  const key = uniqueWord();
  const refund = `{"payment_id":"${String(id)}","amount":"1000","reason":null,"reference_id":null}`;
  expectStatus(t, await send(api, 'POST /v1/refunds', refund, key), 201);
  const bare = `{"payment_id":"${String(id)}","amount":"1000"}`;
  expectStatus(t, await send(api, 'POST /v1/refunds', bare, key), 200);
  const whole = `{"payment_id":"${String(id)}","amount":null}`;
  const refused = await send(api, 'POST /v1/refunds', whole, uniqueWord());
  t.match(refused.body, { error: { code: 'amount_invalid', param: 'amount' } }, 'not the rest');
  const account = '"bank_code":"BCA","account_number":"1234567890","account_holder":"Budi"';
  const payout = `{"amount":"1000",${account},"description":null,"reference_id":null,"currency":null}`;
  expectStatus(t, await send(api, 'POST /v1/payouts', payout, key), 201);
  expectStatus(t, await send(api, 'POST /v1/payouts', `{"amount":"1000",${account}}`, key), 200);
});

t.test(
  'a session: an empty body is [], and null clears only what null is documented to clear',
  async (t) => {
    const link = await send(
      dashboard,
      'POST /v1/merchants/me/payment-links',
      '{"environment":"TEST","title":"Kelas","description":"Satu hari","amount":null,"max_uses":3,"active":null,"currency":null}',
    );
    expectStatus(t, link, 201);
    t.match(link.body, { amount: null, active: true, currency: 'IDR', max_uses: 3 });
    const path = `PATCH /v1/merchants/me/payment-links/${String(link.body['id'])}` as const;
    t.same((await send(dashboard, path, '[]')).body, link.body, 'nothing changes');
    const kept = await send(dashboard, path, '{"title":null,"active":null}');
    t.same(kept.body, link.body, 'a title cannot be cleared, so null leaves it');
    const cleared = await send(
      dashboard,
      path,
      '{"title":null,"description":null,"max_uses":null}',
    );
    t.same(cleared.body, { ...link.body, description: null, max_uses: null });
    const invoice = await send(
      dashboard,
      'POST /v1/merchants/me/invoices',
      '{"environment":"TEST","items":[{"description":"Kelas","quantity":1,"unit_amount":"150000"}],"language":null,"notes":null}',
    );
    expectStatus(t, invoice, 201);
    const login = await send(
      openApi(service.baseUrl),
      'POST /v1/auth/login',
      `{"email":"${owner.email}","password":"wrong","totp_code":null}`,
    );
    t.equal(login.code, 'login_failed');
  },
);

t.test('an administrator: reasons by field are [] or null', async (t) => {
  const approved = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
  const path = `POST /v1/admin/merchants/${approved.merchantId}/verification` as const;
  const suspended = '{"status":"SUSPENDED","reason":null,"field_reasons":[]}';
  const answer = await send(office, path, suspended);
  t.match(answer.body, { error: { param: 'reason' } }, 'a reason is required here');
  const text = '{"status":"SUSPENDED","reason":"Diperiksa","field_reasons":[]}';
  expectStatus(t, await send(office, path, text), 200);
});
