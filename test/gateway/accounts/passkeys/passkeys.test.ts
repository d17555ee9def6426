// Passkeys over HTTP: registration, login, step-up, removal.
import t from 'tap';
import { resetFactors } from '#store/postgres/accounts/passwords.js';
import {
  beginSession,
  enrolSecondFactor,
  makePerson,
  readMail,
  startGateways,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { makeAuthenticator } from '#test/support/http/authenticator.js';
import { assertError, CURRENT, PATH, post, readParam, startPasskeyStage } from './passkey-stage.js';

const {
  sql,
  gateways,
  baseUrl,
  anonymous,
  buildCeremony,
  openOwner,
  register,
  enrol,
  logIn,
  beginLogin,
  proveForCode,
} = await startPasskeyStage(t);

t.test('the first passkey brings recovery codes and ends the other sessions', async (t) => {
  const { owner, api } = await openOwner();
  const other = openApi(gateways[1]?.baseUrl ?? '', await beginSession(sql, owner));
  const begun = await post(api, `${PATH}/options`, CURRENT);
  t.equal(begun.status, 201);
  t.match(begun.body, {
    rp: { id: 'localhost' },
    user: { name: owner.email },
    attestation: 'none',
    authenticatorSelection: { userVerification: 'preferred' },
  });
  const authenticator = makeAuthenticator();
  const passkey = authenticator.register(buildCeremony(begun.body));
  const answer = await post(api, PATH, { name: 'Laptop', passkey });
  t.equal(answer.status, 201, answer.text);
  t.match(answer.body, {
    passkey: { id: /^pkey_/, object: 'passkey', name: 'Laptop', is_synced: true },
  });
  t.equal((answer.body['recovery_codes'] as string[]).length, 10);
  assertError(t, await other.call('/v1/auth/me'), 401, 'session_expired');
  t.match((await api.call('/v1/auth/me')).body, {
    user: { passkeys: 1, totp_enabled: false, recovery_codes_left: 10 },
  });
  t.match((await readMail(sql, owner.email))?.subject, /Langkah kedua/);
  t.match((await api.call(PATH)).body, { data: [{ name: 'Laptop', last_used_at: null }] });
  const [stored] = await sql`
    select *, to_json(transports) as transports from passkeys where user_id = ${owner.userId}`;
  t.match(stored, {
    is_backup_eligible: true,
    is_backed_up: true,
    transports: ['internal', 'hybrid'],
  });
  const audit = await sql`
    select action, actor, after from audit_log where action like 'passkeys.%' and actor = ${owner.userId}`;
  t.match(audit, [{ action: 'passkeys.insert', after: /"name": "Laptop"/ }]);
});

t.test('a login needs the passkey after the password', async (t) => {
  const { owner, authenticator } = await enrol();
  const first = await logIn(owner);
  assertError(t, first, 401, 'login_failed');
  t.equal(readParam(first), 'passkey');
  const options = (first.body['error'] as { passkey_options: object }).passkey_options;
  t.match(options, {
    rpId: 'localhost',
    userVerification: 'preferred',
    allowCredentials: [{ id: authenticator.id }],
  });
  const passkey = authenticator.assert(buildCeremony(options));
  const answer = await logIn(owner, { passkey, cookie: true });
  t.equal(answer.status, 200, answer.text);
  t.match(answer.headers['set-cookie'], /session=cs_/);
  const [row] = await sql`
    select sign_count::integer as count, last_used_at from passkeys where user_id = ${owner.userId}`;
  t.match(row, { count: 1, last_used_at: Date });
  const wrong = await post(anonymous, '/v1/auth/login', {
    email: owner.email,
    password: 'wrong-password',
  });
  t.notOk('passkey_options' in (wrong.body['error'] as object), 'not without the password');
});

t.test('another factor needs the password and a code', async (t) => {
  const { api, authenticator, recoveryCodes } = await enrol();
  const second = makeAuthenticator();
  const begin = (body: object) => post(api, `${PATH}/options`, body);
  assertError(t, await begin(CURRENT), 403, 'role_insufficient');
  const wrong = { ...CURRENT, totp_code: '0a1b-2c3d-4e5f-6g7h' };
  assertError(t, await begin(wrong), 400, 'field_invalid');
  const unproven = { current_password: 'wrong-password', totp_code: recoveryCodes[0] };
  assertError(t, await begin(unproven), 400, 'field_invalid');
  const added = await register(api, second, recoveryCodes[0]);
  t.equal(added.status, 201, added.text);
  t.same(added.body['recovery_codes'], [], 'the former ones stay');
  t.match((await api.call('/v1/auth/me')).body, { user: { passkeys: 2, recovery_codes_left: 9 } });
  assertError(t, await post(api, '/v1/auth/totp', CURRENT), 403, 'role_insufficient');
  const code = await proveForCode(api, authenticator);
  const app = await post(api, '/v1/auth/totp', { ...CURRENT, totp_code: code });
  t.equal(app.status, 201, app.text);
});

t.test('a passkey gives a code for a step-up, once and in its session', async (t) => {
  const { owner, api, authenticator } = await enrol();
  const code = await proveForCode(api, authenticator);
  const make = (by: Api, proof: string): Promise<ApiAnswer> =>
    post(by, '/v1/merchants/me/api-keys', { environment: 'LIVE', totp_code: proof });
  const other = openApi(baseUrl, await beginSession(sql, owner));
  assertError(t, await make(other, code), 400, 'field_invalid');
  t.equal(
    (await logIn(owner, { totp_code: code })).status,
    401,
    'it is no second factor of a login',
  );
  t.equal((await make(api, code)).status, 201);
  assertError(t, await make(api, code), 400, 'field_invalid');
  const late = await proveForCode(api, authenticator);
  await sql`
    update step_up_codes set expires_at = now()
     where session_id in (select id from sessions where user_id = ${owner.userId})`;
  assertError(t, await make(api, late), 400, 'field_invalid');
  const { body } = await post(api, `${PATH}/challenge`);
  const forged = authenticator.assert(buildCeremony(body), { isForged: true });
  assertError(t, await post(api, `${PATH}/code`, { passkey: forged }), 400, 'field_invalid');
  const { api: without } = await openOwner();
  assertError(t, await post(without, `${PATH}/challenge`), 409, 'state_conflict');
});

t.test('a recovery code replaces the passkey of a login', async (t) => {
  const { owner, recoveryCodes } = await enrol();
  t.equal((await logIn(owner, { totp_code: recoveryCodes[0] })).status, 200);
  t.equal((await logIn(owner, { totp_code: recoveryCodes[0] })).status, 401);
  t.equal((await logIn(owner, { totp_code: '123456' })).status, 401);
});

t.test('a user with both factors chooses one at each login', async (t) => {
  const { owner, api } = await openOwner();
  const makeCode = await enrolSecondFactor(sql, api, owner.userId);
  const authenticator = makeAuthenticator();
  t.equal((await register(api, authenticator, await makeCode())).status, 201);
  const first = await logIn(owner);
  t.equal(readParam(first), 'totp_code', 'as before for clients that know no passkeys');
  t.equal((await logIn(owner, { totp_code: await makeCode() })).status, 200);
  const passkey = authenticator.assert(buildCeremony(await beginLogin(owner)));
  t.equal((await logIn(owner, { passkey })).status, 200);
  const body = { ...CURRENT, code: await makeCode() };
  t.equal((await api.call('/v1/auth/totp', { method: 'DELETE', body })).status, 204);
  t.match((await api.call('/v1/auth/me')).body, {
    user: { totp_enabled: false, passkeys: 1, recovery_codes_left: 10 },
  });
  t.equal(readParam(await logIn(owner)), 'passkey', 'the passkey is still needed');
});

t.test('the last factor takes the recovery codes with it', async (t) => {
  const { owner, api, passkeyId, recoveryCodes } = await enrol();
  const path = `${PATH}/${passkeyId}`;
  const other = openApi(baseUrl, await beginSession(sql, owner));
  const remove = (code: string | undefined, by = api): Promise<ApiAnswer> =>
    by.call(path, { method: 'DELETE', body: { ...CURRENT, code } });
  const wrong = await remove('123456');
  assertError(t, wrong, 400, 'field_invalid');
  t.equal(readParam(wrong), 'code');
  const { api: stranger } = await enrol();
  assertError(t, await remove(recoveryCodes[0], stranger), 404, 'passkey_not_found');
  t.equal((await remove(recoveryCodes[0])).status, 204);
  assertError(t, await other.call('/v1/auth/me'), 401, 'session_expired');
  t.match((await api.call('/v1/auth/me')).body, { user: { passkeys: 0, recovery_codes_left: 0 } });
  t.equal((await logIn(owner)).status, 200, 'the password is enough');
  assertError(t, await remove(recoveryCodes[1]), 404, 'passkey_not_found');
});

t.test('a passkey is renamed by its user only', async (t) => {
  const { api, passkeyId } = await enrol();
  const { api: stranger } = await enrol();
  const rename = (by: Api, name: string): Promise<ApiAnswer> =>
    by.call(`${PATH}/${passkeyId}`, { method: 'PATCH', body: { name } });
  t.match((await rename(api, 'Ponsel')).body, { id: passkeyId, name: 'Ponsel' });
  assertError(t, await rename(stranger, 'Mine'), 404, 'passkey_not_found');
  assertError(t, await rename(api, '4111 1111 1111 1111'), 400, 'card_data_refused');
  t.match((await api.call(PATH)).body, { data: [{ name: 'Ponsel' }] });
});

t.test('in production the last factor of an administrator opens and closes the rest', async (t) => {
  const stage = await startGateways(t, 1, {
    NODE_ENV: 'production',
    ALLOW_INSECURE: 'redis,postgres',
    ...{ COMMAND_KEY_RAILS: '', COMMAND_KEY_WEBHOOKS: '' },
    BASE_URL: 'https://pay.example.com',
  });
  const admin = await makePerson(stage.sql, 'admin', null);
  const api = openApi(stage.baseUrl, await beginSession(stage.sql, admin));
  t.match((await api.call('/v1/auth/me')).body, {
    permissions: ['enrol'],
    second_factor_required: true,
  });
  assertError(t, await api.call(PATH), 403, 'role_insufficient');
  const at = { origin: 'https://pay.example.com', rpId: 'pay.example.com' };
  const begun = await post(api, `${PATH}/options`, CURRENT);
  const passkey = makeAuthenticator().register(buildCeremony(begun.body, at));
  const { body } = await post(api, PATH, { name: 'Kunci', passkey });
  t.equal((await api.call('/v1/admin/switches')).status, 200);
  const [code] = body['recovery_codes'] as string[];
  const path = `${PATH}/${(body['passkey'] as { id: string }).id}`;
  const removal = { method: 'DELETE', body: { ...CURRENT, code } } as const;
  t.equal((await api.call(path, removal)).status, 204);
  assertError(t, await api.call('/v1/admin/switches'), 403, 'role_insufficient');
});

t.test('an operator removes all factors of a user who lost them', async (t) => {
  const { owner, api } = await enrol();
  const mail = { id: `mail_${owner.userId}`, recipient: owner.email, subject: 's', body: 'b' };
  const notice = { ...mail, budget: 'notice' } as const;
  t.equal(await resetFactors(sql, owner.userId, notice), true);
  assertError(t, await api.call('/v1/auth/me'), 401, 'session_expired');
  t.equal((await logIn(owner)).status, 200);
  t.equal(await resetFactors(sql, owner.userId, notice), false);
});
