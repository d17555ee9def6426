// Accounts over HTTP: registering, logging in and out, passwords, sessions, second factors.
import { Secret, TOTP } from 'otpauth';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import {
  beginSession,
  makeMerchant,
  makePerson,
  PASSWORD,
  readMail,
  startGateways,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { uniqueWord } from '#test/support/processes.js';

const MAIL_MS = 10_000;
const OTHER_PASSWORD = 'kata-sandi-yang-lain';

const { sql, gateways, baseUrl } = await startGateways(t, 2);
const nobody = openApi(baseUrl);
const post = (api: Api, path: string, body?: object): Promise<ApiAnswer> =>
  api.call(path, { method: 'POST', body });
const withToken = (token: unknown, gateway = 0): Api =>
  openApi(gateways[gateway]?.baseUrl ?? '', String(token));

async function logIn(email: string, password = PASSWORD, code?: string): Promise<ApiAnswer> {
  const totp = code === undefined ? {} : { totp_code: code };
  return post(nobody, '/v1/auth/login', { email, password, ...totp });
}

async function register(email: string): Promise<ApiAnswer> {
  const body = { email, password: PASSWORD, business_name: 'Toko Baru' };
  return post(nobody, '/v1/auth/register', body);
}

const hidden = (answer: ApiAnswer): string =>
  answer.text
    .replace(/"req_[^"]+"/, '')
    .replace(/"(mer|usr)_[^"]+"/g, '')
    .replace(/"[\d-]+T[^"]+"/g, '');

function isRefused(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

t.test('registering, and proving the address', async (t) => {
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
  t.equal(session.status, 200, 'TEST works at once');
  const { token } = session.body;
  const invite = { email: `${uniqueWord()}@example.com`, role: 'viewer' };
  const unproven = await post(withToken(token), '/v1/merchants/me/users', invite);
  isRefused(t, unproven, 409, 'state_conflict');
  const link = { token: mail?.token };
  t.equal((await post(nobody, '/v1/auth/verify', link)).status, 204);
  isRefused(t, await post(nobody, '/v1/auth/verify', link), 400, 'field_invalid');
  const me = await withToken(token).call('/v1/merchants/me');
  t.match(me.body, { business_name: 'Toko Baru', role: 'owner', user: { email_verified: true } });
  t.equal((await post(withToken(token), '/v1/merchants/me/users', invite)).status, 201);
});

t.test('an address that is known answers the same, and its owner hears of it', async (t) => {
  const email = `${uniqueWord()}@example.com`;
  const first = await register(email);
  const [before] = await sql`select count(*)::integer as merchants from merchants`;
  const second = await register(email);
  t.equal(second.status, 201);
  t.equal(hidden(second), hidden(first));
  t.match((await readMail(sql, email))?.subject, /sudah terdaftar/);
  t.same(await sql`select count(*)::integer as merchants from merchants`, [before]);
  const together = await Promise.all(Array.from({ length: 4 }, () => register(`x${email}`)));
  t.same(
    together.map(({ status }) => status),
    [201, 201, 201, 201],
  );
  const users = await sql`select 1 from users where email = ${`x${email}`}`;
  t.equal(users.length, 1, 'one of several at once');
});

t.test('what cannot be registered', async (t) => {
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
    const answer = await post(nobody, '/v1/auth/register', body);
    isRefused(t, answer, 400, code);
    t.match(answer.body, { error: { param } });
  }
});

t.test('logging in and out', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const wrong = await logIn(owner.email, 'not the password');
  isRefused(t, wrong, 401, 'login_failed');
  const unknown = await logIn(`${uniqueWord()}@example.com`, 'not the password');
  t.equal(hidden(unknown), hidden(wrong), 'unknown and wrong are answered alike');
  const { status, body } = await logIn(` ${owner.email.toUpperCase()}`);
  t.equal(status, 200);
  t.match(body, { token: /^cs_/, user: { id: owner.userId }, merchant: { id: owner.merchantId } });
  const own = withToken(body['token']);
  const elsewhere = withToken(body['token'], 1);
  t.equal((await elsewhere.call('/v1/merchants/me')).status, 200);
  t.equal((await post(own, '/v1/auth/logout')).status, 204);
  isRefused(t, await elsewhere.call('/v1/merchants/me'), 401, 'session_expired');
  const stored =
    await sql`select 1 from sessions where encode(digest, 'hex') = ${String(body['token'])}`;
  t.equal(stored.length, 0, 'the token itself is stored nowhere');
});

t.test('sessions end by themselves: unused for an hour, and after their time', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const idle = await beginSession(sql, owner);
  await sql`update sessions set last_used_at = now() - interval '61 minutes'
             where user_id = ${owner.userId}`;
  isRefused(t, await withToken(idle).call('/v1/merchants/me'), 401, 'session_expired');
  const used = await beginSession(sql, owner);
  await sql`update sessions set last_used_at = now() - interval '59 minutes'
             where user_id = ${owner.userId} and ended_at is null and last_used_at > now() - interval '1 minute'`;
  t.equal((await withToken(used).call('/v1/merchants/me')).status, 200);
  const [row] = await sql`
    select max(last_used_at) > now() - interval '1 minute' as is_touched from sessions
     where user_id = ${owner.userId}`;
  t.same(row, { is_touched: true }, 'a use is noted');
  await sql`update sessions set expires_at = now() where user_id = ${owner.userId}`;
  isRefused(t, await withToken(used).call('/v1/merchants/me'), 401, 'session_expired');
  isRefused(
    t,
    await withToken(`cs_${'x'.repeat(43)}`).call('/v1/merchants/me'),
    401,
    'credential_invalid',
  );
});

t.test('sessions are listed and ended', async (t) => {
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
  isRefused(t, gone, 404, 'session_not_found');
  const current = listed.find((one) => one.is_current)?.id ?? '';
  t.equal(
    (await withToken(second).call(`/v1/auth/sessions/${current}`, { method: 'DELETE' })).status,
    204,
  );
  isRefused(t, await api.call('/v1/auth/sessions'), 401, 'session_expired');
  t.equal((await withToken(second).call('/v1/auth/sessions', { method: 'DELETE' })).status, 204);
  isRefused(t, await withToken(third).call('/v1/auth/sessions'), 401, 'session_expired');
  t.equal((await withToken(second).call('/v1/auth/sessions')).status, 200);
  t.equal((await withToken(foreign).call('/v1/auth/sessions')).status, 200);
});

t.test('a changed password ends every other session', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const [mine, other] = await Promise.all([beginSession(sql, owner), beginSession(sql, owner)]);
  const change = (current_password: string, password: string): Promise<ApiAnswer> =>
    post(withToken(mine), '/v1/auth/password', { current_password, password });
  const wrong = await change('not the password', OTHER_PASSWORD);
  isRefused(t, wrong, 400, 'field_invalid');
  isRefused(t, await change(PASSWORD, owner.email), 400, 'field_invalid');
  t.equal((await change(PASSWORD, OTHER_PASSWORD)).status, 204);
  isRefused(t, await withToken(other).call('/v1/merchants/me'), 401, 'session_expired');
  t.equal((await withToken(mine).call('/v1/merchants/me')).status, 200);
  isRefused(t, await logIn(owner.email), 401, 'login_failed');
  t.equal((await logIn(owner.email, OTHER_PASSWORD)).status, 200);
  t.match((await readMail(sql, owner.email))?.subject, /telah diubah/);
});

t.test('a reset by a link, once', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const session = await beginSession(sql, owner);
  const known = await post(nobody, '/v1/auth/password-reset', { email: owner.email });
  const unknown = await post(nobody, '/v1/auth/password-reset', { email: 'x@example.com' });
  t.same([known.status, unknown.status], [204, 204]);
  const mail = await waitUntil('the mail is written', MAIL_MS, () => readMail(sql, owner.email));
  const choice = { token: mail.token, password: OTHER_PASSWORD };
  const choose = (body: object): Promise<ApiAnswer> =>
    post(nobody, '/v1/auth/password-reset/confirm', body);
  isRefused(t, await choose({ ...choice, token: 'x'.repeat(43) }), 400, 'field_invalid');
  const results = await Promise.all([choose(choice), choose(choice)]);
  t.same(results.map(({ status }) => status).sort(), [204, 400], 'of two at once, one');
  isRefused(t, await withToken(session).call('/v1/merchants/me'), 401, 'session_expired');
  t.equal((await logIn(owner.email, OTHER_PASSWORD)).status, 200);
  await post(nobody, '/v1/auth/password-reset', { email: owner.email });
  const late = await waitUntil('a second mail', MAIL_MS, async () => {
    const found = await readMail(sql, owner.email);
    return found?.token === mail.token ? undefined : found;
  });
  await sql`update one_time_links set expires_at = now() where user_id = ${owner.userId}`;
  isRefused(t, await choose({ ...choice, token: late.token }), 400, 'field_invalid');
});

t.test('who registered somebody else’s address keeps nothing of it', async (t) => {
  const email = `${uniqueWord()}@example.com`;
  const registered = await register(email);
  const { id: merchantId } = registered.body['merchant'] as { id: string };
  const stranger = String((await logIn(email)).body['token']);
  await sql`insert into api_keys (id, merchant_id, environment, prefix, last_four, digest)
            values ('key_x', ${merchantId}, 'TEST', 'sk_test_', 'abcd', '\\x00')`;
  await post(nobody, '/v1/auth/password-reset', { email });
  const mail = await waitUntil('the mail is written', MAIL_MS, async () => {
    const found = await readMail(sql, email);
    return found?.subject.includes('Atur ulang') ? found : undefined;
  });
  const choice = { token: mail.token, password: OTHER_PASSWORD };
  t.equal((await post(nobody, '/v1/auth/password-reset/confirm', choice)).status, 204);
  isRefused(t, await withToken(stranger).call('/v1/merchants/me'), 401, 'session_expired');
  t.same(await sql`select revoked_at <= now() as is_revoked from api_keys where id = 'key_x'`, [
    { is_revoked: true },
  ]);
  const own = await logIn(email, OTHER_PASSWORD);
  t.match(own.body, { user: { email_verified: true } });
});

t.test('a second factor', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const api = withToken(await beginSession(sql, owner));
  isRefused(t, await post(api, '/v1/auth/totp/confirm', { code: '123456' }), 409, 'state_conflict');
  const begun = await post(api, '/v1/auth/totp');
  t.equal(begun.status, 201);
  t.match(begun.body['otpauth_url'], /^otpauth:\/\/totp\//);
  const totp = new TOTP({ secret: Secret.fromBase32(String(begun.body['secret'])) });
  const codeAt = (steps: number): string =>
    totp.generate({ timestamp: Date.now() + steps * 30_000 });
  t.equal((await logIn(owner.email)).status, 200, 'it does not count yet');
  const far = codeAt(10);
  isRefused(t, await post(api, '/v1/auth/totp/confirm', { code: far }), 400, 'field_invalid');
  t.equal((await post(api, '/v1/auth/totp/confirm', { code: codeAt(-1) })).status, 204);
  isRefused(t, await post(api, '/v1/auth/totp'), 409, 'state_conflict');
  const without = await logIn(owner.email);
  isRefused(t, without, 401, 'login_failed');
  t.match(without.body, { error: { param: 'totp_code' } });
  const guessed = await logIn(owner.email, 'not the password', codeAt(0));
  t.match(
    guessed.body,
    { error: { code: 'login_failed', param: null } },
    'the password comes first',
  );
  isRefused(t, await logIn(owner.email, PASSWORD, codeAt(-1)), 401, 'login_failed');
  const code = codeAt(1);
  const twice = await Promise.all([
    logIn(owner.email, PASSWORD, code),
    logIn(owner.email, PASSWORD, code),
  ]);
  t.same(twice.map(({ status }) => status).sort(), [200, 401], 'a code is taken once');
  const [stored] = await sql`select totp_secret from users where id = ${owner.userId}`;
  t.match(stored?.['totp_secret'], /^v1\./, 'the secret is kept sealed');
  await sql`update users set totp_step = 0 where id = ${owner.userId}`;
  const remove = (body: object): Promise<ApiAnswer> =>
    api.call('/v1/auth/totp', { method: 'DELETE', body });
  isRefused(t, await remove({ current_password: 'x', code: codeAt(0) }), 400, 'field_invalid');
  isRefused(t, await remove({ current_password: PASSWORD, code: far }), 400, 'field_invalid');
  t.equal((await remove({ current_password: PASSWORD, code: codeAt(0) })).status, 204);
  t.equal((await logIn(owner.email)).status, 200);
});
