// URLs that merchants set are stored in the form in which browsers show them, wherever they are set.
import t from 'tap';
import { beginSession, makePerson } from '../support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '../support/api.js';
import { getPage } from '../support/collecting/stage.js';
import { uniqueWord } from '../support/processes.js';
import { useGateways, useService } from '../support/standing/service.js';

const SENT = 'https:Evil.example';
const STORED = 'https://evil.example/';
/** Each character of the path becomes six. */
const LONG = `https://toko.example/${'é'.repeat(400)}`;

const service = await useService();
const merchant = service.api;
const { sql, baseUrl } = await useGateways(t);
const owner: Api = openApi(
  baseUrl,
  await beginSession(sql, await makePerson(sql, 'owner', service.merchant.merchantId)),
);
const send = (path: string, method: 'POST' | 'PATCH', body: object): Promise<ApiAnswer> =>
  owner.call(path, { method, body });

t.test('a payment has its URLs in that form, and its page leads there', async (t) => {
  const urls = { success_url: SENT, cancel_url: 'https:/toko.example/a/../b?q=ü#ç' };
  const { status, body } = await merchant.create({ amount: '15000', ...urls });
  t.equal(status, 201);
  const stored = { success_url: STORED, cancel_url: 'https://toko.example/b?q=%C3%BC#%C3%A7' };
  t.match(body, stored);
  const id = String(body['id']);
  t.match((await merchant.call(`/v1/payments/${id}`)).body, stored);
  const { text } = await getPage(`${baseUrl}/checkout/${id}`);
  t.ok(text.includes(`href="${stored.cancel_url}"`), 'the link back to the shop');
});

t.test('a repeat is recognised in each form, and another URL is a conflict', async (t) => {
  const key = uniqueWord();
  const first = await merchant.create({ amount: '15000', success_url: SENT }, key);
  for (const url of [SENT, STORED, 'https://EVIL.example:443']) {
    const repeat = await merchant.create({ amount: '15000', success_url: url }, key);
    t.same([repeat.status, repeat.body['id']], [200, first.body['id']], url);
    t.equal(repeat.body['success_url'], STORED);
  }
  const other = await merchant.create({ amount: '15000', success_url: `${STORED}x` }, key);
  t.equal(other.code, 'idempotency_conflict');
});

t.test('a repeat of a payment whose URL was stored as it was sent is recognised', async (t) => {
  const key = uniqueWord();
  const { body } = await merchant.create({ amount: '15000', success_url: SENT }, key);
  const stored = await sql`
    update payments set snapshot = replace(snapshot, ${STORED}, ${SENT})
     where id = ${String(body['id'])} returning 1`;
  t.equal(stored.length, 1);
  for (const url of [SENT, STORED]) {
    const repeat = await merchant.create({ amount: '15000', success_url: url }, key);
    t.same([repeat.status, repeat.body['id']], [200, body['id']], url);
  }
});

t.test('settings, payment links and webhook endpoints have theirs in that form', async (t) => {
  const links = '/v1/merchants/me/payment-links';
  const webhooks = '/v1/merchants/me/webhooks';
  const link = { environment: 'TEST', title: 'Kelas', amount: '1000' };
  const made = await send(links, 'POST', { ...link, success_url: SENT });
  t.match(made, { status: 201, body: { success_url: STORED } });
  const linkPath = `${links}/${String(made.body['id'])}`;
  const other = await send(linkPath, 'PATCH', { success_url: 'https:toko.example' });
  t.match(other, { status: 200, body: { success_url: 'https://toko.example/' } });
  t.match(await send(linkPath, 'PATCH', { success_url: null }), { body: { success_url: null } });

  const settings = await send('/v1/merchants/me/settings', 'PATCH', { support_url: SENT });
  t.match(settings, { status: 200, body: { support_url: STORED } });

  const target = 'https:/93.184.215.14:443';
  const endpoint = await send(webhooks, 'POST', { environment: 'TEST', url: target });
  t.match(endpoint, { status: 201, body: { url: 'https://93.184.215.14/' } });
  const endpointPath = `${webhooks}/${String(endpoint.body['id'])}`;
  const moved = await send(endpointPath, 'PATCH', { url: 'https:93.184.215.14/a/./b' });
  t.match(moved, { status: 200, body: { url: 'https://93.184.215.14/a/b' } });
  t.match(await owner.call(endpointPath), { body: { url: 'https://93.184.215.14/a/b' } });
});

t.test('a URL that is too long in that form is refused', async (t) => {
  const answers = [
    await merchant.create({ amount: '15000', success_url: LONG }),
    await send('/v1/merchants/me/settings', 'PATCH', { support_url: LONG }),
    await send('/v1/merchants/me/webhooks', 'POST', {
      environment: 'TEST',
      allow_many: true,
      url: LONG,
    }),
  ];
  for (const { status, text } of answers) {
    t.equal(status, 400);
    t.match(text, /at most 2048 characters/);
  }
});
