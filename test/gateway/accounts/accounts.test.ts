// Accounts over HTTP: registration, login, logout, passwords, sessions and second factors.
import { Secret, TOTP } from 'otpauth';
import t, { type Test } from 'tap';
import {
  beginSession,
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

const hideIds = (answer: ApiAnswer): string =>
  answer.text
    .replace(/"req_[^"]+"/, '')
    .replace(/"(mer|usr)_[^"]+"/g, '')
    .replace(/"[\d-]+T[^"]+"/g, '');

function assertError(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

t.test('register mails a link that verifies the address once', async (t) => {
  const email = `${uniqueWord('Baru')}@Example.com`;
  const first = await register(email);
  t.equal(first.status, 201);
  t.match(first.body, {
    merchant: { object: 'merchant', verificationStatus: 'UNVERIFIED', liveEnabled: false },
    user: { email: email.toLowerCase(), role: 'owner', email_verified: false },
  });
  const mail = await readMail(sql, email.toLowerCase());
  t.match(mail?.subject, /Konfirmasi/);
  const session = await logIn(email);
  t.equal(session.status, 200, 'an unverified user can log in');
  const { token } = session.body;
  const invite = { email: `${uniqueWord()}@example.com`, role: 'viewer' };
  const unproven = await post(withToken(token), '/v1/merchants/me/users', invite);
  assertError(t, unproven, 409, 'state_conflict');
  const link = { token: mail?.token, password: PASSWORD };
  t.equal((await post(anonymous, '/v1/auth/verify', link)).status, 204);
  assertError(t, await post(anonymous, '/v1/auth/verify', link), 400, 'field_invalid');
  const me = await withToken(token).call('/v1/merchants/me');
  t.match(me.body, { business_name: 'Toko Baru', role: 'owner', user: { email_verified: true } });
  t.equal((await post(withToken(token), '/v1/merchants/me/users', invite)).status, 201);
});

t.test('register with an invalid field returns 400 and names the field', async (t) => {
  const good = { email: 'a@example.com', password: PASSWORD, business_name: 'Toko' };
  const cases: [object, string, string][] = [
    [{ ...good, email: 'nobody' }, 'field_invalid', 'email'],
    [{ ...good, password: 'short' }, 'field_invalid', 'password'],
    [
      { ...good, email: 'abcdefgh@example.com', password: 'ABCDEFGH@example.com' },
      'field_invalid',
      'password',
    ],
    [{ ...good, business_name: '' }, 'field_invalid', 'business_name'],
    [{ ...good, business_name: 'Toko 4111 1111 1111 1111' }, 'card_data_refused', 'business_name'],
    [{ ...good, role: 'admin' }, 'body_invalid', 'role'],
  ];
  for (const [body, code, param] of cases) {
    const answer = await post(anonymous, '/v1/auth/register', body);
    assertError(t, answer, 400, code);
    t.match(answer.body, { error: { param } });
  }
});

t.test('login opens a session that logout ends on every gateway', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const wrong = await logIn(owner.email, 'not the password');
  assertError(t, wrong, 401, 'login_failed');
  const unknown = await logIn(`${uniqueWord()}@example.com`, 'not the password');
  t.equal(
    hideIds(unknown),
    hideIds(wrong),
    'an unknown address and a wrong password get the same answer',
  );
  const { status, body } = await logIn(` ${owner.email.toUpperCase()}`);
  t.equal(status, 200);
  t.match(body, { token: /^cs_/, user: { id: owner.userId }, merchant: { id: owner.merchantId } });
  const own = withToken(body['token']);
  const elsewhere = withToken(body['token'], 1);
  t.equal((await elsewhere.call('/v1/merchants/me')).status, 200);
  t.equal((await post(own, '/v1/auth/logout')).status, 204);
  assertError(t, await elsewhere.call('/v1/merchants/me'), 401, 'session_expired');
  const stored =
    await sql`select 1 from sessions where encode(digest, 'hex') = ${String(body['token'])}`;
  t.equal(stored.length, 0, 'the token itself is not stored');
});

t.test('a session ends after an hour without use and at its expiry', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const idle = await beginSession(sql, owner);
  await sql`update sessions set last_used_at = now() - interval '61 minutes'
             where user_id = ${owner.userId}`;
  assertError(t, await withToken(idle).call('/v1/merchants/me'), 401, 'session_expired');
  const used = await beginSession(sql, owner);
  await sql`update sessions set last_used_at = now() - interval '59 minutes'
             where user_id = ${owner.userId} and ended_at is null and last_used_at > now() - interval '1 minute'`;
  t.equal((await withToken(used).call('/v1/merchants/me')).status, 200);
  const [row] = await sql`
    select max(last_used_at) > now() - interval '1 minute' as is_touched from sessions
     where user_id = ${owner.userId}`;
  t.same(row, { is_touched: true }, 'a use updates last_used_at');
  await sql`update sessions set expires_at = now() where user_id = ${owner.userId}`;
  assertError(t, await withToken(used).call('/v1/merchants/me'), 401, 'session_expired');
  assertError(
    t,
    await withToken(`cs_${'x'.repeat(43)}`).call('/v1/merchants/me'),
    401,
    'credential_invalid',
  );
});

t.test('a user lists and ends only its own sessions', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const other = await makePerson(sql, 'owner', await makeMerchant(sql));
  const [mine, second, third] = await Promise.all([1, 2, 3].map(() => beginSession(sql, owner)));
  const foreign = await beginSession(sql, other);
  const api = withToken(mine);
  const listed = (await api.call('/v1/auth/sessions')).body['data'] as {
    id: string;
    is_current: boolean;
  }[];
  t.equal(listed.length, 3);
  t.equal(listed.filter((one) => one.is_current).length, 1);
  const [foreignRow] = (await withToken(foreign).call('/v1/auth/sessions')).body['data'] as {
    id: string;
  }[];
  const gone = await api.call(`/v1/auth/sessions/${foreignRow?.id ?? ''}`, { method: 'DELETE' });
  assertError(t, gone, 404, 'session_not_found');
  const current = listed.find((one) => one.is_current)?.id ?? '';
  t.equal(
    (await withToken(second).call(`/v1/auth/sessions/${current}`, { method: 'DELETE' })).status,
    204,
  );
  assertError(t, await api.call('/v1/auth/sessions'), 401, 'session_expired');
  t.equal((await withToken(second).call('/v1/auth/sessions', { method: 'DELETE' })).status, 204);
  assertError(t, await withToken(third).call('/v1/auth/sessions'), 401, 'session_expired');
  t.equal((await withToken(second).call('/v1/auth/sessions')).status, 200);
  t.equal((await withToken(foreign).call('/v1/auth/sessions')).status, 200);
});

t.test('a changed password ends every other session', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const [mine, other] = await Promise.all([beginSession(sql, owner), beginSession(sql, owner)]);
  const change = (current_password: string, password: string): Promise<ApiAnswer> =>
    post(withToken(mine), '/v1/auth/password', { current_password, password });
  const wrong = await change('not the password', OTHER_PASSWORD);
  assertError(t, wrong, 400, 'field_invalid');
  assertError(t, await change(PASSWORD, owner.email), 400, 'field_invalid');
  t.equal((await change(PASSWORD, OTHER_PASSWORD)).status, 204);
  assertError(t, await withToken(other).call('/v1/merchants/me'), 401, 'session_expired');
  t.equal((await withToken(mine).call('/v1/merchants/me')).status, 200);
  assertError(t, await logIn(owner.email), 401, 'login_failed');
  t.equal((await logIn(owner.email, OTHER_PASSWORD)).status, 200);
  t.match((await readMail(sql, owner.email))?.subject, /telah diubah/);
});

t.test('a confirmed second factor makes each login need a new code', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const api = withToken(await beginSession(sql, owner));
  assertError(
    t,
    await post(api, '/v1/auth/totp/confirm', { code: '123456' }),
    409,
    'state_conflict',
  );
  const begun = await post(api, '/v1/auth/totp', { current_password: PASSWORD });
  t.equal(begun.status, 201);
  t.match(begun.body['otpauth_url'], /^otpauth:\/\/totp\//);
  const totp = new TOTP({ secret: Secret.fromBase32(String(begun.body['secret'])) });
  const codeAt = (steps: number): string =>
    totp.generate({ timestamp: Date.now() + steps * 30_000 });
  t.equal((await logIn(owner.email)).status, 200, 'an unconfirmed factor is not required');
  const far = codeAt(10);
  assertError(t, await post(api, '/v1/auth/totp/confirm', { code: far }), 400, 'field_invalid');
  const used = codeAt(0);
  t.equal((await post(api, '/v1/auth/totp/confirm', { code: used })).status, 200);
  assertError(
    t,
    await post(api, '/v1/auth/totp', { current_password: PASSWORD }),
    409,
    'state_conflict',
  );
  const without = await logIn(owner.email);
  assertError(t, without, 401, 'login_failed');
  t.match(without.body, { error: { param: 'totp_code' } });
  const guessed = await logIn(owner.email, 'not the password', codeAt(0));
  t.match(
    guessed.body,
    { error: { code: 'login_failed', param: null } },
    'a wrong password is reported before the code',
  );
  assertError(t, await logIn(owner.email, PASSWORD, used), 401, 'login_failed');
  const code = codeAt(1);
  const twice = await Promise.all([
    logIn(owner.email, PASSWORD, code),
    logIn(owner.email, PASSWORD, code),
  ]);
  t.same(twice.map(({ status }) => status).sort(), [200, 401], 'a code is accepted once');
  const [stored] = await sql`select totp_secret from users where id = ${owner.userId}`;
  t.match(stored?.['totp_secret'], /^v1\./, 'the secret is stored sealed');
  await sql`update users set totp_step = 0 where id = ${owner.userId}`;
  const remove = (body: object): Promise<ApiAnswer> =>
    api.call('/v1/auth/totp', { method: 'DELETE', body });
  assertError(t, await remove({ current_password: 'x', code: codeAt(0) }), 400, 'field_invalid');
  assertError(t, await remove({ current_password: PASSWORD, code: far }), 400, 'field_invalid');
  t.equal((await remove({ current_password: PASSWORD, code: codeAt(0) })).status, 204);
  t.equal((await logIn(owner.email)).status, 200);
});
