// Changes of money by users of a merchant with a session: the outcomes of a key's requests, by role, and with the second factor
// where money of LIVE moves. test/flows/foreign-ids.test.ts tries the ids of other merchants.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import {
  beginSession,
  enrolSecondFactor,
  makePerson,
  type Person,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { uniqueWord } from '#test/support/processes.js';
import { ACCOUNT, makePaid, openLivePayouts, payOut } from '#test/support/rails/payouts.js';
import { useService } from '#test/support/standing/service.js';

const ME = '/v1/merchants/me';
const service = await useService();
const { baseUrl, merchant } = service;
const sql = openPostgres(service.databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const key = openApi(baseUrl, merchant.testKey);

async function openSession(role: Person['role']) {
  const person = await makePerson(sql, role, merchant.merchantId);
  return { person, api: openApi(baseUrl, await beginSession(sql, person)) };
}

const owner = await openSession('owner');

const post = (
  api: Api,
  path: string,
  body?: object,
  { environment = 'TEST', key = '' } = {},
): Promise<ApiAnswer> =>
  api.call(`${ME}${path}?environment=${environment}`, {
    method: 'POST',
    ...(body === undefined ? {} : { body }),
    headers: key === '' ? {} : { 'idempotency-key': key },
  });

t.test('a payment, a refund and a payout are shown as a key shows them', async (t) => {
  const paymentId = await makePaid(key, '50000');
  const refund = await key.call('/v1/refunds', {
    method: 'POST',
    body: { payment_id: paymentId, amount: '5000' },
  });
  const payout = await payOut(key, { amount: '1000' });
  for (const path of [
    `/payments/${paymentId}`,
    `/payments/${paymentId}/events`,
    `/refunds/${String(refund.body['id'])}`,
    `/payouts/${String(payout.body['id'])}`,
    '/payout-banks',
  ]) {
    const shown = await owner.api.call(ME + path);
    t.equal(shown.status, 200, path);
    t.equal(shown.text, (await key.call(`/v1${path}`)).text, path);
    if (path === '/payout-banks') continue;
    t.equal((await owner.api.call(`${ME}${path}?environment=LIVE`)).status, 404, `${path} in LIVE`);
  }
});

t.test('a cancel by a session has the outcome of a cancel by a key', async (t) => {
  const { body } = await key.create({ amount: '20000' });
  const path = `/payments/${String(body['id'])}/cancel`;
  const answer = await post(owner.api, path);
  t.match(answer, { status: 200, body: { status: 'cancelled' } });
  t.equal((await post(owner.api, path)).status, 200, 'a repeat');
  const shown = await key.call(`/v1/payments/${String(body['id'])}`);
  t.equal(shown.body['cancelled_at'], answer.body['cancelled_at']);
  const paid = await makePaid(key, '20000');
  t.match(await post(owner.api, `/payments/${paid}/cancel`), { code: 'state_conflict' });
  const [row] = await sql<{ chain: string; actor: string; after: string }[]>`
    select chain, actor, after from audit_log where target like ${`%${path}`} order by id limit 1`;
  const { userId, merchantId } = owner.person;
  const record = { chain: merchantId, actor: userId, after: '{"environment":"TEST"}' };
  t.match(row, record, 'it is audited');
});

t.test('an idempotency key of a session is one with that of a key', async (t) => {
  const body = { payment_id: await makePaid(key, '30000'), amount: '7000' };
  const word = uniqueWord();
  const first = await post(owner.api, '/refunds', body, { key: word });
  t.match(first, { status: 201, body: { amount: '7000', status: 'SUCCEEDED' } });
  const again = await post(owner.api, '/refunds', body, { key: word });
  t.match([again.status, again.headers['idempotent-replayed']], [200, 'true']);
  t.equal(again.body['id'], first.body['id']);
  const headers = { 'idempotency-key': word };
  const byKey = await key.call('/v1/refunds', { method: 'POST', body, headers });
  t.equal(byKey.body['id'], first.body['id'], 'the same refund');
  const other = { ...body, amount: '1' };
  t.equal((await post(owner.api, '/refunds', other, { key: word })).code, 'idempotency_conflict');
  const sum = await key.call(`/v1/payments/${body.payment_id}`);
  t.equal(sum.body['refunded_amount'], '7000', 'it was refunded once');
});

t.test('a payout is reserved, repeated and cancelled', async (t) => {
  await makePaid(key, '90000');
  const body = { ...ACCOUNT, amount: '40000' };
  const word = uniqueWord();
  const made = await post(owner.api, '/payouts', body, { key: word });
  t.match(made, { status: 201, body: { status: 'PENDING', amount: '40000' } });
  t.equal((await post(owner.api, '/payouts', body, { key: word })).text, made.text);
  const cancelled = await post(owner.api, `/payouts/${String(made.body['id'])}/cancel`);
  t.match(cancelled.body, { status: 'FAILED', failure_code: 'cancelled' });
  const most = { ...body, amount: '999999999' };
  t.equal((await post(owner.api, '/payouts', most)).code, 'balance_insufficient');
});

t.test('roles: a viewer changes nothing, and a developer does not pay out', async (t) => {
  const refund = { payment_id: await makePaid(key, '10000') };
  const cancel = `/payments/${refund.payment_id}/cancel`;
  const payout = { ...ACCOUNT, amount: '1' };
  const outcomes = {
    viewer: { cancel: 403, refund: 403, payout: 403 },
    developer: { cancel: 409, refund: 201, payout: 403 },
    finance: { cancel: 409, refund: 409, payout: 201 },
  } as const;
  for (const [role, expected] of Object.entries(outcomes)) {
    const { api } = await openSession(role as keyof typeof outcomes);
    const [cancelled, refunded] = [await post(api, cancel), await post(api, '/refunds', refund)];
    const found = { cancel: cancelled.status, refund: refunded.status };
    t.same({ ...found, payout: (await post(api, '/payouts', payout)).status }, expected, role);
  }
});

t.test('a body is checked as for a key, and totp_code beside it', async (t) => {
  const refund = { payment_id: await makePaid(key, '10000') };
  for (const [body, code, param] of [
    [{ ...refund, amount: 'x' }, 'amount_invalid', 'amount'],
    [{ ...refund, more: 1 }, 'body_invalid', 'more'],
    [{ ...refund, totp_code: '12' }, 'field_invalid', 'totp_code'],
    [[1], 'body_invalid', null],
  ] as const) {
    const { body: answer } = await post(owner.api, '/refunds', body);
    t.match(answer, { error: { code, param } }, JSON.stringify(body));
  }
  const fine = { ...refund, amount: null, totp_code: null, reason: null };
  t.match(await post(owner.api, '/refunds', fine), { code: 'amount_invalid' }, 'as for a key');
});

t.test('LIVE needs LIVE to be enabled, an idempotency key and the second factor', async (t) => {
  const at = { environment: 'LIVE' };
  const payout = { ...ACCOUNT, amount: '10000' };
  const word = uniqueWord();
  t.equal((await post(owner.api, '/payouts', payout, at)).code, 'idempotency_key_required');
  const sent = { ...at, key: word };
  t.equal((await post(owner.api, '/payouts', payout, sent)).code, 'live_not_enabled');
  const cancel = '/payments/pay_5jz8q4m1n7v2c9k3x6w0t4h8rb/cancel';
  t.equal((await post(owner.api, cancel, undefined, at)).code, 'live_not_enabled');

  await openLivePayouts({ baseUrl, sql, merchant }, 30_000);
  const bare = await post(owner.api, '/payouts', payout, sent);
  t.match(bare.body, { error: { code: 'role_insufficient', param: 'totp_code' } });
  const makeCode = await enrolSecondFactor(sql, owner.api, owner.person.userId);
  t.match(await post(owner.api, '/payouts', payout, sent), { status: 403 }, 'without the code');
  const wrong = { ...payout, totp_code: '000000' };
  t.match(await post(owner.api, '/payouts', wrong, sent), { code: 'field_invalid' });
  const [none] = await sql`
    select 1 from payouts where merchant_id = ${merchant.merchantId} and environment = 'LIVE'`;
  t.equal(none, undefined, 'nothing was reserved');
  const proven = { ...payout, totp_code: await makeCode() };
  const made = await post(owner.api, '/payouts', proven, sent);
  t.match(made, { status: 201, body: { environment: 'LIVE', amount: '10000' } });
  const again = await post(owner.api, '/payouts', proven, sent);
  t.match(again, { status: 200, body: { id: made.body['id'] } }, 'a repeat needs no new code');
  const other = await post(owner.api, '/payouts', proven, { ...at, key: uniqueWord() });
  t.equal(other.status, 400, 'a used code makes no second payout');
  const cancelled = await post(
    owner.api,
    `/payouts/${String(made.body['id'])}/cancel`,
    undefined,
    at,
  );
  t.equal(cancelled.status, 200, 'a cancel needs no code');
  const refund = { payment_id: 'pay_5jz8q4m1n7v2c9k3x6w0t4h8rb' };
  t.equal((await post(owner.api, '/refunds', refund, sent)).status, 403, 'a refund needs the code');
  const withCode = { ...refund, totp_code: await makeCode() };
  t.equal((await post(owner.api, '/refunds', withCode, sent)).status, 404);
});
