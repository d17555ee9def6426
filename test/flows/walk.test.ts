// The walk through a payment's life by HTTP, as the guides describe it.
import t from 'tap';
import { openApi } from '../support/api.js';
import { createTestMerchant, uniqueWord } from '../support/processes.js';
import { useService } from '../support/standing/service.js';

const service = await useService();
const merchant = service.api;
const PAYMENT = { amount: '150000', currency: 'IDR', payment_method: 'QRIS' };

t.test('a created payment is read back field for field', async (t) => {
  const fields = {
    ...PAYMENT,
    description: 'Kopi “Toko” ☕',
    reference_id: 'ord_1',
    customer_name: 'Siti',
    customer_email: 'siti@example.com',
    customer_phone: '+62811111111',
    success_url: 'https://example.com/ok',
    cancel_url: 'https://example.com/no',
    metadata: { a: '1', b: 'dua' },
  };
  const created = await merchant.create({ ...fields, expires_in: 3600 }, uniqueWord());
  t.equal(created.status, 201);
  t.match(created.body, { ...fields, object: 'payment', environment: 'TEST', status: 'pending' });
  t.match(created.body, {
    id: /^pay_[0-9a-z]{26}$/,
    order_id: /^[0-9a-f-]{36}$/,
    refunded_amount: '0',
    failure_code: null,
    late: false,
    paid_at: null,
  });
  const { id, created_at: createdAt, expires_at: expiresAt } = created.body;
  t.equal(created.body['checkout_url'], `${service.publicUrl}/checkout/${String(id)}`);
  t.equal(Date.parse(String(expiresAt)) - Date.parse(String(createdAt)), 3_600_000);
  t.match(String(createdAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const got = await merchant.get(id);
  t.equal(got.status, 200);
  t.equal(got.text, created.text, 'field for field, in the same order');
});

t.test('a create with only an amount has null in the other fields', async (t) => {
  const { status, body } = await merchant.create({ amount: '0001' });
  t.equal(status, 201);
  t.match(body, { amount: '1', currency: 'IDR', payment_method: null, reference_id: null });
  t.strictSame(body['metadata'], {});
});

t.test('a simulated payment is paid and stays paid', async (t) => {
  const { body: created } = await merchant.create(PAYMENT);
  const paid = await merchant.simulate(created['id'], 'paid');
  t.equal(paid.status, 200);
  t.match(paid.body, { id: created['id'], status: 'paid', environment: 'TEST', amount: '150000' });
  t.notOk('metadata' in paid.body, 'the public view');
  const got = await merchant.get(created['id']);
  t.match(got.body, { status: 'paid', refundable_amount: '150000', late: false });
  t.type(got.body['paid_at'], 'string');
  const again = await merchant.simulate(created['id'], 'paid');
  t.strictSame([again.status, again.text], [200, paid.text], 'again: the same');
  const other = await merchant.simulate(created['id'], 'failed');
  t.strictSame([other.status, other.code], [409, 'state_conflict']);
  const cancel = await merchant.cancel(created['id']);
  t.strictSame([cancel.status, cancel.code], [409, 'state_conflict']);
  t.match(cancel.text, /paid/, 'the message names the status');
  t.equal((await merchant.get(created['id'])).text, got.text, 'nothing changed');
});

t.test('a payment without a method can be simulated as failed', async (t) => {
  const { body: created } = await merchant.create({ amount: '20000' });
  const failed = await merchant.simulate(created['id'], 'failed');
  t.match(failed.body, { status: 'failed' });
  const got = await merchant.get(created['id']);
  t.match(got.body, { status: 'failed', failure_code: 'simulated', paid_at: null });
  t.type(got.body['failed_at'], 'string');
  t.equal((await merchant.simulate(created['id'], 'paid')).code, 'state_conflict');
  t.equal((await merchant.cancel(created['id'])).code, 'state_conflict');
});

t.test('a second cancel answers like the first', async (t) => {
  const { body: created } = await merchant.create(PAYMENT);
  const cancelled = await merchant.cancel(created['id']);
  t.match(cancelled.body, { status: 'cancelled', cancelled_at: String });
  t.equal(cancelled.status, 200);
  const again = await merchant.cancel(created['id']);
  t.strictSame([again.status, again.text], [200, cancelled.text]);
  t.equal((await merchant.simulate(created['id'], 'paid')).code, 'state_conflict');
});

t.test('the sandbox shows the public fields of a payment', async (t) => {
  const anonymous = openApi(service.baseUrl);
  const { body } = await merchant.create({
    ...PAYMENT,
    customer_name: 'Siti',
    metadata: { a: 'b' },
  });
  const shown = await anonymous.call(`/v1/sandbox/payments/${String(body['id'])}`);
  t.equal(shown.status, 200);
  t.strictSame(Object.keys(shown.body), [
    'id',
    'object',
    'environment',
    'status',
    'amount',
    'currency',
    'description',
    'payment_method',
    'expires_at',
    'paid_at',
  ]);
});

t.test('a payment of another merchant or environment is 404', async (t) => {
  const other = await createTestMerchant(service.databaseUrl);
  const live = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
  const { body } = await merchant.create(PAYMENT);
  for (const key of [other.testKey, live.testKey, live.liveKey]) {
    const stranger = openApi(service.baseUrl, key);
    for (const answer of [await stranger.get(body['id']), await stranger.cancel(body['id'])]) {
      t.strictSame([answer.status, answer.code], [404, 'payment_not_found']);
    }
  }
  t.equal((await merchant.get(body['id'])).body['status'], 'pending');
});

t.test('one idempotency key makes two payments in two accounts', async (t) => {
  const other = await createTestMerchant(service.databaseUrl);
  const key = uniqueWord();
  const mine = await merchant.create(PAYMENT, key);
  const theirs = await openApi(service.baseUrl, other.testKey).create(PAYMENT, key);
  t.strictSame([mine.status, theirs.status], [201, 201]);
  t.not(mine.body['id'], theirs.body['id']);
});

t.test('a live key of an unapproved merchant is live_not_enabled on each path', async (t) => {
  const live = openApi(service.baseUrl, service.merchant.liveKey);
  const { body } = await merchant.create(PAYMENT);
  const answers = [
    await live.create(PAYMENT, uniqueWord()),
    await live.get(body['id']),
    await live.cancel(body['id']),
  ];
  for (const { status, code } of answers) t.strictSame([status, code], [400, 'live_not_enabled']);
});

t.test('a LIVE payment is 404 in the sandbox', async (t) => {
  const approved = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
  const live = openApi(service.baseUrl, approved.liveKey);
  const created = await live.create({ amount: '20000' }, uniqueWord());
  t.equal(created.status, 201, 'LIVE without a method waits for the customer’s choice');
  t.match(created.body, { environment: 'LIVE', status: 'pending', payment_method: null });
  const simulated = await live.simulate(created.body['id'], 'paid');
  t.strictSame([simulated.status, simulated.code], [404, 'payment_not_found']);
  const shown = await openApi(service.baseUrl).call(
    `/v1/sandbox/payments/${String(created.body['id'])}`,
  );
  t.strictSame([shown.status, shown.code], [404, 'payment_not_found']);
  t.equal((await openApi(service.baseUrl, approved.testKey).get(created.body['id'])).status, 404);
  t.match((await live.cancel(created.body['id'])).body, { status: 'cancelled' });
});
