// The message of a refused request names the allowed values, the amount that is left and the remedy; doc_url leads to a page
// with the cause.
import t, { type Test } from 'tap';
import { BANK_CODES, PAYOUT_BANKS } from '#actors/core/payout-banks.js';
import { WEBHOOK_TYPES } from '#actors/core/schemas/event.js';
import { escapeHtml } from '#gateway/pages/html.js';
import { ERROR_HELP } from '#gateway/routing/error-help.js';
import { ERRORS, type ErrorCode } from '#gateway/routing/errors.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson } from '../support/accounts.js';
import { type ApiAnswer, type ApiCall, openApi } from '../support/api.js';
import { useService } from '../support/standing/service.js';

const service = await useService();
const { merchantId, liveKey } = service.merchant;
const { api } = service;
const sql = openPostgres(service.databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const ownerToken = await beginSession(sql, await makePerson(sql, 'owner', merchantId));
const dashboard = openApi(service.baseUrl, ownerToken);
const viewer = openApi(
  service.baseUrl,
  await beginSession(sql, await makePerson(sql, 'viewer', merchantId)),
);
const anonymous = openApi(service.baseUrl);

const post = (path: string, body: unknown, headers: ApiCall['headers'] = {}): Promise<ApiAnswer> =>
  api.call(path, { method: 'POST', body, headers });

function saysThat(
  t: Test,
  answer: ApiAnswer,
  ...[code, message, param = null]: readonly [
    code: ErrorCode,
    message: string | RegExp,
    param?: string | null,
  ]
): void {
  t.equal(answer.status, ERRORS[code].status, answer.text);
  t.match(answer.body, { error: { code, message, param } }, answer.text);
}

t.test('a refund that is too much: what is left', async (t) => {
  const { id } = (await api.create({ amount: '150000', payment_method: 'QRIS' })).body;
  const refund = (amount?: string) =>
    post('/v1/refunds', { payment_id: id, ...(amount === undefined ? {} : { amount }) });
  saysThat(t, await refund('1'), 'state_conflict', 'The status is pending; it must be paid.');
  await api.simulate(id, 'paid');
  t.equal((await refund('50000')).status, 201);
  const left = 'amount must be at most 100000, the refundable_amount of the payment.';
  saysThat(t, await refund('100001'), 'refund_exceeds_payment', left, 'amount');
  saysThat(t, await refund('0'), 'amount_out_of_range', /above 0 and at most/, 'amount');
  t.equal((await refund()).status, 201);
  const cancelled = await api.cancel(id);
  saysThat(t, cancelled, 'state_conflict', 'The status is refunded; it must be pending.');
  const again = await api.simulate(id, 'failed');
  saysThat(t, again, 'state_conflict', 'The status is refunded; it must be pending.');
});

/** Its refund waits for an administrator, so that the payment stays paid. */
const MANUAL_REFUND = '10094';

t.test('a refund of a payment whose open refunds are all of it', async (t) => {
  const { id } = (await api.create({ amount: MANUAL_REFUND, payment_method: 'VA_BNI' })).body;
  await api.simulate(id, 'paid');
  t.equal((await post('/v1/refunds', { payment_id: id })).status, 201);
  const answer = await post('/v1/refunds', { payment_id: id, amount: '1' });
  saysThat(t, answer, 'refund_exceeds_payment', /^Nothing is left to refund/, 'amount');
});

const ACCOUNT = { bank_code: 'BCA', account_number: '1234567890', account_holder: 'Budi' };

t.test('a payout that is too much: the available balance', async (t) => {
  const { id } = (await api.create({ amount: '70000', payment_method: 'QRIS' })).body;
  await api.simulate(id, 'paid');
  const { body } = await api.call('/v1/balance');
  const { available = '' } = (body['data'] as { available: string }[])[0] ?? {};
  const answer = await post('/v1/payouts', { ...ACCOUNT, amount: '999999999999' });
  const message = `amount must be at most ${available}, the available balance.`;
  saysThat(t, answer, 'balance_insufficient', message, 'amount');
  const moved = sql`update balance_rows set amount = -500
                     where account = ${`merchant_available:${merchantId}:TEST:IDR`}`;
  t.equal((await moved).count, 1);
  const below = await post('/v1/payouts', { ...ACCOUNT, amount: '1' });
  saysThat(
    t,
    below,
    'balance_insufficient',
    'The available balance is -500; payouts work when it is above 0.',
    'amount',
  );
});

t.test('banks: the codes and their names', async (t) => {
  const { status, body } = await api.call('/v1/payout-banks');
  t.equal(status, 200);
  const expected = BANK_CODES.map((code) => ({
    object: 'payout_bank',
    code,
    name: PAYOUT_BANKS[code],
  }));
  t.strictSame(body, { data: expected });
  const answer = await post('/v1/payouts', { ...ACCOUNT, amount: '1', bank_code: 'BCAA' });
  const message = new RegExp(`${BANK_CODES.join(', ')} \\(GET /v1/payout-banks`);
  saysThat(t, answer, 'field_invalid', message, 'bank_code');
});

t.test('an amount outside the range of its method, and a method that does not exist', async (t) => {
  const small = await api.create({ amount: '9999', payment_method: 'VA_BCA' });
  const range = 'amount must be from 10000 to 50000000 for VA_BCA.';
  saysThat(t, small, 'amount_out_of_range', range, 'amount');
  const cash = await api.create({ amount: '9999', payment_method: 'CASH' });
  saysThat(t, cash, 'payment_method_unavailable', /QRIS, VA, VA_BCA/, 'payment_method');
  const dollars = await api.create({ amount: '9999', currency: 'USD' });
  saysThat(t, dollars, 'currency_unsupported', 'currency must be IDR.', 'currency');
});

t.test('event names of a webhook', async (t) => {
  const body = { url: 'https://toko.example/w', environment: 'TEST', events: ['payment.payd'] };
  const answer = await dashboard.call('/v1/merchants/me/webhooks', { method: 'POST', body });
  saysThat(t, answer, 'field_invalid', new RegExp(WEBHOOK_TYPES.join(', ')), 'events');
});

t.test('LIVE that is not enabled: how to get it', async (t) => {
  const live = await openApi(service.baseUrl, liveKey).call('/v1/payments');
  saysThat(t, live, 'live_not_enabled', /KYC form.*an administrator has enabled it/);
  const body = { environment: 'LIVE', title: 'Kelas' };
  const path = '/v1/merchants/me/payment-links';
  const link = await dashboard.call(path, { method: 'POST', body });
  saysThat(t, link, 'live_not_enabled', /POST \/v1\/merchants\/kyc\/submit/);
});

t.test('a credential of the wrong kind, and a role: what is needed', async (t) => {
  const session = await dashboard.call('/v1/payments');
  saysThat(t, session, 'credential_wrong_kind', /takes a secret key \(sk_test_/);
  const key = await api.call('/v1/merchants/me/payments');
  saysThat(t, key, 'credential_wrong_kind', /takes a session \(cs_/);
  const users = await viewer.call('/v1/merchants/me/api-keys');
  const role = 'Your role viewer does not allow this; it needs owner or developer.';
  saysThat(t, users, 'role_insufficient', role);
});

t.test('a method that the path does not take, and a body that is too large', async (t) => {
  const removed = await api.call('/v1/payments', { method: 'DELETE' });
  saysThat(t, removed, 'method_not_allowed', 'This path takes GET, HEAD, POST only.');
  const large = await post('/v1/payments', { amount: '1', description: 'x'.repeat(70_000) });
  saysThat(t, large, 'body_too_large', 'The body must be at most 65536 bytes.');
});

t.test('doc_url leads to the cause and the remedy of each code', async (t) => {
  const { error } = (await anonymous.call('/v1/payments')).body as { error: { doc_url: string } };
  const [page = '', anchor = ''] = error.doc_url.split('#');
  t.match(anchor, /credential_missing$/);
  const { text } = await anonymous.call(new URL(page).pathname);
  for (const [code, { cause, remedy }] of Object.entries(ERROR_HELP)) {
    t.ok(
      text.includes(`id="${anchor.replace('credential_missing', code)}"`),
      `the place of ${code}`,
    );
    t.ok(text.includes(escapeHtml(cause)), `the cause of ${code}`);
    t.ok(text.includes(escapeHtml(remedy)), `the remedy of ${code}`);
  }
  t.equal(Object.keys(ERROR_HELP).length, Object.keys(ERRORS).length);
});
