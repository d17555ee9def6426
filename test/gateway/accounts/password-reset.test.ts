// Password resets over HTTP: the link, and the things that a reset takes back.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import type { MerchantId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { putEndpoint } from '#store/postgres/webhooks/change-endpoints.js';
import {
  beginSession,
  enrolSecondFactor,
  makeMerchant,
  makePerson,
  PASSWORD,
  readMail,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { uniqueWord } from '#test/support/processes.js';
import { useGateways } from '#test/support/standing/service.js';

const OTHER_PASSWORD = 'kata-sandi-yang-lain';

const { sql, gateways, baseUrl } = await useGateways(t);
const anonymous = openApi(baseUrl);
const post = (api: Api, path: string, body?: object): Promise<ApiAnswer> =>
  api.call(path, { method: 'POST', body });
const withToken = (token: unknown, gateway = 0): Api =>
  openApi(gateways[gateway]?.baseUrl ?? '', String(token));

async function logIn(email: string, password = PASSWORD, code?: string): Promise<ApiAnswer> {
  const totp = code === undefined ? {} : { totp_code: code };
  return post(anonymous, '/v1/auth/login', { email, password, ...totp });
}

async function register(email: string): Promise<ApiAnswer> {
  const body = { email, password: PASSWORD, business_name: 'Toko Baru' };
  return post(anonymous, '/v1/auth/register', body);
}

function assertError(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

t.test('a password reset link works once and ends all sessions', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const session = await beginSession(sql, owner);
  const known = await post(anonymous, '/v1/auth/password-reset', { email: owner.email });
  const unknown = await post(anonymous, '/v1/auth/password-reset', { email: 'x@example.com' });
  t.same([known.status, unknown.status], [204, 204]);
  const mail = await waitUntil('the mail was written', () => readMail(sql, owner.email));
  const choice = { token: mail.token, password: OTHER_PASSWORD };
  const choose = (body: object): Promise<ApiAnswer> =>
    post(anonymous, '/v1/auth/password-reset/confirm', body);
  assertError(t, await choose({ ...choice, token: 'x'.repeat(43) }), 400, 'field_invalid');
  const results = await Promise.all([choose(choice), choose(choice)]);
  t.same(
    results.map(({ status }) => status).sort(),
    [204, 400],
    'one of two concurrent uses succeeds',
  );
  assertError(t, await withToken(session).call('/v1/merchants/me'), 401, 'session_expired');
  t.equal((await logIn(owner.email, OTHER_PASSWORD)).status, 200);
  t.match((await readMail(sql, owner.email))?.subject, /telah diubah/, 'the user learns of it');
  await post(anonymous, '/v1/auth/password-reset', { email: owner.email });
  const late = await waitUntil('the second mail was written', async () => {
    const found = await readMail(sql, owner.email);
    return found?.token === mail.token || found?.token === '' ? undefined : found;
  });
  await sql`update one_time_links set expires_at = now() where user_id = ${owner.userId}`;
  assertError(t, await choose({ ...choice, token: late.token }), 400, 'field_invalid');
});

t.test('a reset removes the work of a stranger who registered the address', async (t) => {
  const email = `${uniqueWord()}@example.com`;
  const registered = await register(email);
  const { id: merchantId } = registered.body['merchant'] as { id: MerchantId };
  const stranger = String((await logIn(email)).body['token']);
  const keyId = uniqueWord('key');
  await sql`insert into api_keys (id, merchant_id, environment, prefix, last_four, digest)
            values (${keyId}, ${merchantId}, 'TEST', 'sk_test_', 'abcd', ${randomBytes(32)})`;
  const api = withToken(stranger);
  const endpoints = '/v1/merchants/me/webhooks';
  const hook = { url: 'https://198.100.1.1/hook', environment: 'LIVE' };
  assertError(t, await post(api, endpoints, hook), 409, 'state_conflict');
  await putEndpoint(sql, {
    ...{ id: `we_${uniqueWord()}`, merchantId, environment: 'LIVE', url: 'https://192.0.2.1/' },
    ...{ events: ['*'], sealedSecret: 'sealed' },
  });
  const terms = { environment: 'TEST', title: 'Kopi', amount: '25000' };
  const link = await post(api, '/v1/merchants/me/payment-links', terms);
  t.equal(link.status, 201);
  const friend = await makePerson(sql, 'developer', merchantId);
  await post(anonymous, '/v1/auth/password-reset', { email });
  const mail = await waitUntil('the mail was written', async () => {
    const found = await readMail(sql, email);
    return found?.subject.includes('Atur ulang') ? found : undefined;
  });
  const choice = { token: mail.token, password: OTHER_PASSWORD };
  t.equal((await post(anonymous, '/v1/auth/password-reset/confirm', choice)).status, 204);
  assertError(t, await withToken(stranger).call('/v1/merchants/me'), 401, 'session_expired');
  t.same(await sql`select revoked_at <= now() as is_revoked from api_keys where id = ${keyId}`, [
    { is_revoked: true },
  ]);
  const own = await logIn(email, OTHER_PASSWORD);
  t.match(own.body, { user: { email_verified: true } });
  assertError(t, await logIn(friend.email), 401, 'login_failed');
  t.same(
    await sql`select active, secret from webhook_endpoints where merchant_id = ${merchantId}`,
    [{ active: false, secret: '' }],
  );
  t.same(await sql`select active from payment_links where merchant_id = ${merchantId}`, [
    { active: false },
  ]);
  const verified = withToken(String(own.body['token']));
  const { user } = own.body as { user: { id: string } };
  const makeCode = await enrolSecondFactor(sql, verified, user.id, OTHER_PASSWORD);
  const proven = { ...hook, totp_code: await makeCode() };
  t.equal((await post(verified, endpoints, proven)).status, 201);
});

t.test('an ordinary reset removes nothing', async (t) => {
  const merchantId = await makeMerchant(sql);
  const owner = await makePerson(sql, 'owner', merchantId);
  const friend = await makePerson(sql, 'developer', merchantId);
  const keyId = uniqueWord('key');
  await sql`insert into api_keys (id, merchant_id, environment, prefix, last_four, digest)
            values (${keyId}, ${merchantId}, 'TEST', 'sk_test_', 'abcd', ${randomBytes(32)})`;
  await post(anonymous, '/v1/auth/password-reset', { email: owner.email });
  const mail = await waitUntil('the mail was written', () => readMail(sql, owner.email));
  const choice = { token: mail.token, password: OTHER_PASSWORD };
  t.equal((await post(anonymous, '/v1/auth/password-reset/confirm', choice)).status, 204);
  t.equal((await logIn(friend.email)).status, 200);
  t.same(await sql`select revoked_at from api_keys where id = ${keyId}`, [{ revoked_at: null }]);
});
