// Sessions in cookies over HTTP: what sets and clears the cookie, which routes take it, and which requests with it are refused.
import t, { type Test } from 'tap';
import {
  beginSession,
  makeMerchant,
  makePerson,
  PASSWORD,
  type Person,
  startGateways,
} from '#test/support/accounts.js';
import { type ApiAnswer, type ApiCall, openApi } from '#test/support/api.js';

const SECURE_URL = 'https://pay.example.com';
const ME = '/v1/auth/me';
const SESSIONS = '/v1/auth/sessions';
const LIFE = 'Max-Age=43200; Path=/; HttpOnly; SameSite=Strict';
const CLEARED = 'service_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict';

const { sql, gateways, baseUrl } = await startGateways(t, 1);
const secure = await startGateways(t, 1, { BASE_URL: SECURE_URL, NODE_ENV: 'development' });
const [gateway] = gateways;
const ORIGIN = `http://localhost:${gateway?.port}`;
const anonymous = openApi(baseUrl);

const openOwner = async (on = sql): Promise<Person> =>
  makePerson(on, 'owner', await makeMerchant(on));

interface Sent extends ApiCall {
  readonly origin?: string | undefined;
}

/** Sends the header `Cookie` as it is given; from our own page unless `origin` says otherwise. */
function send(cookie: string, path: string, { origin = ORIGIN, headers, ...call }: Sent = {}) {
  const from = origin === '' ? {} : { origin };
  return anonymous.call(path, { ...call, headers: { cookie, ...from, ...headers } });
}

const readCookies = ({ headers }: ApiAnswer): readonly string[] =>
  [headers['set-cookie'] ?? []].flat();

function assertError(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

async function logIn({ email }: Person): Promise<{ answer: ApiAnswer; cookie: string }> {
  const body = { email, password: PASSWORD, cookie: true };
  const answer = await anonymous.call('/v1/auth/login', { method: 'POST', body });
  const [cookie = ''] = readCookies(answer);
  return { answer, cookie: cookie.split(';')[0] ?? '' };
}

t.test('a login with cookie sets the cookie, and its body has no token', async (t) => {
  const { answer, cookie } = await logIn(await openOwner());
  t.equal(answer.status, 200);
  t.notOk('token' in answer.body);
  t.notMatch(answer.text, /cs_/);
  t.match(cookie, /^service_session=cs_[\w-]{43}$/);
  const [session, device, ...others] = readCookies(answer);
  t.equal(session, `${cookie}; ${LIFE}`);
  t.match(device, /^service_device=/, 'a verified user makes the browser known');
  t.same(others, []);
  t.equal(answer.headers['cache-control'], 'no-store');
  t.equal((await send(cookie, ME)).status, 200);
});

t.test('a login without cookie sets none', async (t) => {
  const { email } = await openOwner();
  for (const choice of [{}, { cookie: false }]) {
    const body = { email, password: PASSWORD, ...choice };
    const answer = await anonymous.call('/v1/auth/login', { method: 'POST', body });
    t.match(answer.body['token'], /^cs_/);
    t.same(readCookies(answer), []);
  }
});

t.test('an https BASE_URL makes the cookie Secure and bound to the host', async (t) => {
  const api = openApi(secure.baseUrl);
  const { email } = await openOwner(secure.sql);
  const body = { email, password: PASSWORD, cookie: true };
  const answer = await api.call('/v1/auth/login', { method: 'POST', body });
  const [set = ''] = readCookies(answer);
  t.match(set, /^__Host-service_session=cs_[\w-]{43}; /);
  t.ok(set.endsWith(`; ${LIFE}; Secure`), set);
  const cookie = set.split(';')[0] ?? '';
  t.equal((await api.call(ME, { headers: { cookie } })).status, 200);
  const plain = { cookie: cookie.replace('__Host-', '') };
  assertError(t, await api.call(ME, { headers: plain }), 401, 'credential_missing');
  const end = (origin: string) =>
    api.call(SESSIONS, { method: 'DELETE', headers: { cookie, origin } });
  assertError(t, await end('http://pay.example.com'), 403, 'origin_not_allowed');
  t.equal((await end(SECURE_URL)).status, 204);
});

t.test('a request with the cookie that is not GET needs our own origin', async (t) => {
  const owner = await openOwner();
  const { cookie } = await logIn(owner);
  const other = await beginSession(sql, owner);
  const refused = ['', 'null', 'https://evil.example', 'http://localhost', `${ORIGIN}/`];
  for (const origin of [...refused, ORIGIN.replace('http:', 'https:'), `${ORIGIN},${ORIGIN}`]) {
    const answer = await send(cookie, SESSIONS, { method: 'DELETE', origin });
    assertError(t, answer, 403, 'origin_not_allowed');
    t.same(readCookies(answer), [], 'a stranger cannot log the user out');
    t.equal((await send(cookie, ME, { origin })).status, 200, `GET from ${origin}`);
  }
  const open = openApi(baseUrl, other);
  t.equal((await open.call(ME)).status, 200, 'nothing was changed');
  t.equal((await send(cookie, SESSIONS, { method: 'DELETE' })).status, 204);
  assertError(t, await open.call(ME), 401, 'session_expired');
});

t.test('HEAD and CSV work from anywhere, since they change nothing', async (t) => {
  const { cookie } = await logIn(await openOwner());
  const list = '/v1/merchants/me/payments?environment=TEST';
  const head = await fetch(baseUrl + ME, { method: 'HEAD', headers: { cookie } });
  t.equal(head.status, 200);
  const csv = await send(cookie, list, { origin: '', headers: { accept: 'text/csv' } });
  t.equal(csv.status, 200);
  t.match(csv.headers['content-type'], /^text\/csv/);
});

t.test('a credential header counts instead of the cookie', async (t) => {
  const owner = await openOwner();
  const { cookie } = await logIn(owner);
  const token = await beginSession(sql, owner);
  const authorization = `Bearer ${token}`;
  const logout = { method: 'POST', headers: { authorization }, origin: '' } as const;
  const answer = await send(cookie, '/v1/auth/logout', logout);
  t.equal(answer.status, 204, 'no origin is needed');
  t.same(readCookies(answer), [], 'the session of the cookie is another one');
  t.equal((await send(cookie, ME)).status, 200);
  const wrong = await send(cookie, ME, { headers: { authorization } });
  assertError(t, wrong, 401, 'session_expired');
  t.same(readCookies(wrong), []);
  const key = await send(cookie, ME, { headers: { 'x-api-key': 'sk_test_x' } });
  assertError(t, key, 401, 'credential_wrong_kind');
});

t.test('key routes and open routes do not read the cookie', async (t) => {
  const { cookie } = await logIn(await openOwner());
  for (const path of ['/v1/payments', '/v1/balance', '/v1/events']) {
    assertError(t, await send(cookie, path), 401, 'credential_missing');
  }
  const body = { amount: '10000' };
  const create = await send(cookie, '/v1/payments', { method: 'POST', body });
  assertError(t, create, 401, 'credential_missing');
  t.equal((await send(`${cookie}; ${cookie}`, '/healthz')).status, 200);
});

t.test('two sessions in cookies are refused and kept', async (t) => {
  const { cookie } = await logIn(await openOwner());
  const answer = await send(`${cookie}; ${cookie}`, ME);
  assertError(t, answer, 401, 'credential_mixed');
  t.match(answer.text, /two cookies service_session/);
  t.same(readCookies(answer), []);
});

t.test('a cookie of another program is ignored and kept, whatever its name', async (t) => {
  const { cookie } = await logIn(await openOwner());
  const value = cookie.slice('service_session='.length);
  const foreign = [
    '',
    'x',
    'cs_x',
    `"${value}"`,
    `${value}x`,
    'sk_test_x',
    'eyJhbGciOiJIUzI1NiJ9.e30.x',
  ];
  for (const name of ['session', 'service_session']) {
    for (const other of foreign) {
      const alone = await send(`${name}=${other}`, ME);
      assertError(t, alone, 401, 'credential_missing');
      t.same(readCookies(alone), []);
      const beside = await send(`${name}=${other}; ${cookie}`, ME);
      t.equal(beside.status, 200, `beside ${name}=${other}`);
    }
  }
  const near = `xservice_session=a; service_session2=b; ${cookie.replace('=', ' =')}`;
  assertError(t, await send(near, ME), 401, 'credential_missing');
  t.equal((await send(`a=1;  ${cookie};b="x; y`, ME)).status, 200, 'beside others');
});

t.test('the end of a session clears its cookie', async (t) => {
  const owner = await openOwner();
  const out = await logIn(owner);
  const left = await send(out.cookie, '/v1/auth/logout', { method: 'POST' });
  t.equal(left.status, 204);
  t.same(readCookies(left), [CLEARED]);
  const after = await send(out.cookie, ME);
  assertError(t, after, 401, 'session_expired');
  t.same(readCookies(after), [CLEARED]);

  const own = await logIn(owner);
  const me = await send(own.cookie, ME);
  const path = `${SESSIONS}/${String(me.body['session_id'])}`;
  t.same(readCookies(await send(own.cookie, path, { method: 'DELETE' })), [CLEARED]);

  const unknown = await send(`service_session=cs_${'x'.repeat(43)}`, ME);
  assertError(t, unknown, 401, 'credential_invalid');
  t.same(readCookies(unknown), [CLEARED]);
});

t.test('choosing a new password ends the sessions and clears the cookie', async (t) => {
  const { userId, ...owner } = await openOwner();
  const { cookie } = await logIn({ userId, ...owner });
  const token = 't'.repeat(43);
  await sql`insert into one_time_links (digest, purpose, user_id, expires_at)
            values (sha256(${token}::text::bytea), 'reset', ${userId}, now() + interval '1 hour')`;
  const body = { token, password: 'kata-sandi-yang-lain' };
  const path = '/v1/auth/password-reset/confirm';
  const answer = await anonymous.call(path, { method: 'POST', body });
  t.equal(answer.status, 204, answer.text);
  const [cleared, device, ...others] = readCookies(answer);
  t.equal(cleared, CLEARED);
  t.match(device, /^service_device=/, 'the link has proven the user, so the browser is known');
  t.same(others, []);
  assertError(t, await send(cookie, ME), 401, 'session_expired');
});

t.test('a session says who it is and what it may do', async (t) => {
  const owner = await openOwner();
  const viewer = await makePerson(sql, 'viewer', owner.merchantId);
  const shown = (await send((await logIn(owner)).cookie, ME)).body;
  t.match(shown, {
    object: 'signed_in_user',
    session_id: /^ses_/,
    user: { id: owner.userId, email: owner.email, totp_enabled: false },
    merchant: { id: owner.merchantId, verificationStatus: 'UNVERIFIED', liveEnabled: false },
    role: 'owner',
    second_factor_required: false,
  });
  const permissions = shown['permissions'] as string[];
  t.ok(permissions.includes('change_users') && !permissions.includes('administrate'));
  const reader = (await send((await logIn(viewer)).cookie, ME)).body;
  t.notOk((reader['permissions'] as string[]).some((each) => each.startsWith('change_')));
  const admin = openApi(baseUrl, await beginSession(sql, await makePerson(sql, 'admin', null)));
  t.match((await admin.call(ME)).body, {
    merchant: null,
    role: 'admin',
    permissions: [
      ...['enrol', 'own_account', 'read_administration'],
      ...['review_merchants', 'decide_money', 'administrate'],
    ],
  });
});

t.test('no log line of the gateway has a token or a cookie', async (t) => {
  const { cookie } = await logIn(await openOwner());
  await send(cookie, SESSIONS, { method: 'DELETE', origin: 'https://evil.example' });
  await send(`${cookie}; ${cookie}`, ME);
  t.notMatch(JSON.stringify(gateway?.logs()), /cs_|session=/);
});
