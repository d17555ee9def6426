// The second factor over HTTP: the sessions that end with a change of it, and recovery codes.
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import t, { type Test } from 'tap';
import { makeId } from '#actors/core/ids.js';
import { createSession } from '#store/postgres/accounts/sessions.js';
import {
  beginSession,
  makeMerchant,
  makePerson,
  PASSWORD,
  readMail,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { useGateways } from '#test/support/standing/service.js';

const TOTP_PATH = '/v1/auth/totp';
const HOUR_MS = 3_600_000;
const { sql, gateways, baseUrl } = await useGateways(t);
const anonymous = openApi(baseUrl);

function assertError(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

/** An owner with a session, and a factor that was not confirmed yet. */
async function beginEnrolment() {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const api = openApi(baseUrl, await beginSession(sql, owner));
  const password = { current_password: PASSWORD };
  const begun = await api.call(TOTP_PATH, { method: 'POST', body: password });
  const totp = new TOTP({ secret: Secret.fromBase32(String(begun.body['secret'])) });
  const makeCode = async (): Promise<string> => {
    await sql`update users set totp_step = 0 where id = ${owner.userId}`;
    return totp.generate();
  };
  const confirm = async (): Promise<ApiAnswer> =>
    api.call(`${TOTP_PATH}/confirm`, { method: 'POST', body: { code: await makeCode() } });
  return { owner, api, makeCode, confirm };
}

const logIn = (email: string, code: unknown): Promise<ApiAnswer> => {
  const body = { email, password: PASSWORD, totp_code: code };
  return anonymous.call('/v1/auth/login', { method: 'POST', body });
};
const elsewhere = (token: string): Api => openApi(gateways[1]?.baseUrl ?? '', token);
const readCodes = (answer: ApiAnswer): string[] => answer.body['recovery_codes'] as string[];
const countCodes = async (api: Api): Promise<unknown> =>
  ((await api.call('/v1/merchants/me')).body['user'] as Record<string, unknown>)[
    'recovery_codes_left'
  ];

t.test('a session without the password sets up no second factor', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const api = openApi(baseUrl, await beginSession(sql, owner));
  assertError(t, await api.call(TOTP_PATH, { method: 'POST' }), 400, 'body_invalid');
  const body = { current_password: 'not the password' };
  assertError(t, await api.call(TOTP_PATH, { method: 'POST', body }), 400, 'field_invalid');
  t.same(await sql`select totp_secret from users where id = ${owner.userId}`, [
    { totp_secret: null },
  ]);
});

t.test('a code is taken as people type it, and once', async (t) => {
  const { owner, api, makeCode } = await beginEnrolment();
  const typed = async (separator: string): Promise<string> =>
    (await makeCode()).replace(/^(.{3})/, `$1${separator}`);
  const body = { code: await typed(' ') };
  const confirmed = await api.call(`${TOTP_PATH}/confirm`, { method: 'POST', body });
  t.equal(confirmed.status, 200, confirmed.text);
  for (const separator of ['-', ' ', '\u2011', '\u00a0']) {
    const code = await typed(separator);
    t.equal((await logIn(owner.email, code)).status, 200, encodeURI(separator));
    assertError(t, await logIn(owner.email, code.replace(separator, '')), 401, 'login_failed');
  }
  const [first = '', second = ''] = readCodes(confirmed);
  t.equal((await logIn(owner.email, first.replaceAll('-', ''))).status, 200);
  assertError(t, await logIn(owner.email, first), 401, 'login_failed');
  t.equal((await logIn(owner.email, second.toUpperCase().replaceAll('-', ' '))).status, 200);
  t.equal(await countCodes(api), 8);
});

t.test('a confirmed second factor ends every other session of the user', async (t) => {
  const { owner, api, confirm } = await beginEnrolment();
  const other = await beginSession(sql, owner);
  t.equal((await elsewhere(other).call('/v1/merchants/me')).status, 200);
  t.equal((await confirm()).status, 200);
  assertError(t, await elsewhere(other).call('/v1/merchants/me'), 401, 'session_expired');
  t.equal((await api.call('/v1/merchants/me')).status, 200);
  t.match((await readMail(sql, owner.email))?.subject, /Langkah kedua/);
});

t.test('a login whose password was checked before the enrolment begins no session', async (t) => {
  const { owner, confirm } = await beginEnrolment();
  const [stored] = await sql<{ hash: string }[]>`
    select password_hash as hash from users where id = ${owner.userId}`;
  await confirm();
  const begin = (totpSecret: string | null): Promise<boolean> =>
    createSession(sql, {
      ...{ id: makeId('ses', randomBytes(16)), userId: owner.userId, address: '127.0.0.1' },
      ...{ digest: randomBytes(32).toString('hex'), expiresAt: new Date(Date.now() + HOUR_MS) },
      ...{
        passwordHash: stored?.hash ?? '',
        totpSecret,
        passkeys: 0,
        passkeyId: null,
        device: null,
      },
    });
  t.equal(await begin(null), false);
  t.equal(await begin('another secret'), false);
});

t.test('a removed second factor ends every other session and its recovery codes', async (t) => {
  const { owner, api, makeCode, confirm } = await beginEnrolment();
  const [code] = readCodes(await confirm());
  const other = await beginSession(sql, owner);
  const body = { current_password: PASSWORD, code: await makeCode() };
  t.equal((await api.call(TOTP_PATH, { method: 'DELETE', body })).status, 204);
  assertError(t, await elsewhere(other).call('/v1/merchants/me'), 401, 'session_expired');
  t.equal((await api.call('/v1/merchants/me')).status, 200);
  t.equal(await countCodes(api), 0);
  const again = { current_password: PASSWORD, code };
  assertError(
    t,
    await api.call(TOTP_PATH, { method: 'DELETE', body: again }),
    409,
    'state_conflict',
  );
});

t.test('each recovery code replaces one code, once', async (t) => {
  const { owner, api, confirm } = await beginEnrolment();
  const codes = readCodes(await confirm());
  t.equal(new Set(codes).size, 10);
  const [first, second, third] = codes;
  t.match(first, /^[0-9a-z]{4}(-[0-9a-z]{4}){3}$/);
  const stored = await sql`select * from recovery_codes where user_id = ${owner.userId}`;
  t.notOk(JSON.stringify(stored).includes(String(first)), 'only digests are stored');
  const twice = await Promise.all([logIn(owner.email, first), logIn(owner.email, first)]);
  t.same(twice.map(({ status }) => status).sort(), [200, 401]);
  const key = { environment: 'LIVE', totp_code: second };
  const make = (): Promise<ApiAnswer> =>
    api.call('/v1/merchants/me/api-keys', { method: 'POST', body: key });
  t.equal((await make()).status, 201);
  assertError(t, await make(), 400, 'field_invalid');
  t.equal(await countCodes(api), 8);
  const remove = { current_password: PASSWORD, code: third };
  t.equal((await api.call(TOTP_PATH, { method: 'DELETE', body: remove })).status, 204);
});

t.test('new recovery codes need password and code, and replace the former ones', async (t) => {
  const { owner, api, makeCode, confirm } = await beginEnrolment();
  const path = `${TOTP_PATH}/recovery-codes`;
  const renew = (current_password: string, code: unknown): Promise<ApiAnswer> =>
    api.call(path, { method: 'POST', body: { current_password, code } });
  assertError(t, await renew(PASSWORD, '123456'), 409, 'state_conflict');
  const [former] = readCodes(await confirm());
  assertError(t, await renew('not the password', await makeCode()), 400, 'field_invalid');
  const renewed = await renew(PASSWORD, await makeCode());
  t.equal(renewed.status, 201);
  assertError(t, await logIn(owner.email, former), 401, 'login_failed');
  t.equal((await logIn(owner.email, readCodes(renewed)[9])).status, 200);
  t.equal(await countCodes(api), 9);
});
