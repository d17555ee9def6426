// Texts as customers and merchants copy them: a payment is created with them, found by them, and a repeat is recognised.
import t from 'tap';
import { type Api, type ApiAnswer, openApi } from '../support/api.js';
import { beginSession, makePerson } from '../support/accounts.js';
import { uniqueWord } from '../support/processes.js';
import { useGateways, useService } from '../support/standing/service.js';

const service = await useService();
const merchant = service.api;
const { sql, baseUrl } = await useGateways(t);

async function openOwner(): Promise<Api> {
  const owner = await makePerson(sql, 'owner', service.merchant.merchantId);
  return openApi(baseUrl, await beginSession(sql, owner));
}

const create = (body: object, idempotencyKey = uniqueWord()): Promise<ApiAnswer> =>
  merchant.create({ amount: '15000', ...body }, idempotencyKey);
const listIds = ({ body }: ApiAnswer): unknown[] =>
  (body['data'] as Record<string, unknown>[]).map(({ id }) => id);

t.test('a payment with copied texts is created, and shows what people see', async (t) => {
  const answer = await create({
    description: 'Two\u0007 shirts\nand a hat',
    customer_name: 'Si\u200bti',
    customer_email: 'siti@example.com ',
    customer_phone: '\u202a+62\u00a0812\u20113456\u200b7890\u202c',
    success_url: 'https://shop.example/done\u200b',
    metadata: { 'ca\u200brt': '1\u202e7' },
  });
  t.equal(answer.status, 201, answer.text);
  t.match(answer.body, {
    description: 'Two shirts and a hat',
    customer_name: 'Siti',
    customer_email: 'siti@example.com',
    customer_phone: '+62 812-34567890',
    success_url: 'https://shop.example/done',
    metadata: { cart: '17' },
  });
  const empty = await create({ customer_email: '', customer_phone: ' ', customer_name: '\u200b' });
  t.equal(empty.status, 201, empty.text);
  t.match(empty.body, { customer_email: null, customer_phone: null, customer_name: null });
});

t.test('a repeat is recognised with and without the hidden characters', async (t) => {
  const key = uniqueWord();
  const copied = { reference_id: 'ord\u200b-1\n', customer_phone: '0812\u20113456' };
  const first = await create(copied, key);
  t.equal(first.status, 201, first.text);
  for (const body of [copied, { reference_id: 'ord-1', customer_phone: '0812-3456' }]) {
    const repeat = await create(body, key);
    t.same([repeat.status, repeat.body['id']], [200, first.body['id']]);
  }
  t.equal((await create({ ...copied, reference_id: 'ord-2' }, key)).code, 'idempotency_conflict');
});

t.test('a payment is found by its reference as it was sent', async (t) => {
  const reference = uniqueWord();
  const { body } = await create({ reference_id: `\ufeff${reference}\n` });
  for (const sought of [reference, `\ufeff${reference}\n`, `${reference}\u200b`]) {
    const query = new URLSearchParams({ reference_id: sought }).toString();
    t.same(listIds(await merchant.call(`/v1/payments?${query}`)), [body['id']]);
  }
  const owner = await openOwner();
  const customer = new URLSearchParams({ customer: 'Ra\u200btih' }).toString();
  const named = await create({ customer_name: 'Rat\u202eih' });
  t.same(listIds(await owner.call(`/v1/merchants/me/payments?${customer}`)), [named.body['id']]);
});

t.test('a text that a user sets is refused by the name of the character', async (t) => {
  const owner = await openOwner();
  const pdf = Buffer.from('%PDF-1.7').toString('base64');
  for (const [path, method, body, param] of [
    ['/v1/merchants/me/settings', 'PATCH', { display_name: 'To\u200bko' }, 'display_name'],
    ['/v1/merchants/me/settings', 'PATCH', { support_email: 'a@b.example\u200b' }, 'support_email'],
    [
      '/v1/merchants/me/payment-links',
      'POST',
      { environment: 'TEST', title: 'Ke\u200blas', amount: '1000' },
      'title',
    ],
    [
      '/v1/merchants/kyc/documents',
      'POST',
      { purpose: 'TAX', filename: 'kt\u200bp.pdf', content: pdf },
      'filename',
    ],
    ['/v1/auth/passkeys', 'POST', { name: 'Ku\u200bnci', passkey: {} }, 'name'],
  ] as const) {
    const answer = await owner.call(path, { method, body });
    t.match(answer, { status: 400, code: 'field_invalid', body: { error: { param } } });
    t.match(answer.text, /must not contain the invisible character U\+200B, which is character/);
  }
  const phone = { support_phone: '\u202a+62\u00a0812\u20113456' };
  const saved = await owner.call('/v1/merchants/me/settings', { method: 'PATCH', body: phone });
  t.match(saved, { status: 200, body: { support_phone: '+62 812-3456' } });
});
