// The users of a merchant: invitations, roles, and at least one owner.
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
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

const { sql, baseUrl, gateways } = await useGateways(t);
const USERS = '/v1/merchants/me/users';

function assertError(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

async function openMerchant() {
  const merchantId = await makeMerchant(sql, 'Toko Satu');
  const owner = await makePerson(sql, 'owner', merchantId);
  const api = openApi(baseUrl, await beginSession(sql, owner));
  const change = (id: unknown, role: string, code?: string): Promise<ApiAnswer> =>
    api.call(`${USERS}/${String(id)}`, { method: 'PATCH', body: { role, totp_code: code } });
  const remove = (id: unknown, code?: string): Promise<ApiAnswer> => {
    const proof = code === undefined ? {} : { body: { totp_code: code } };
    return api.call(`${USERS}/${String(id)}`, { method: 'DELETE', ...proof });
  };
  return { merchantId, owner, api, change, remove };
}

t.test('an invited user joins by the mailed link, changes role and is removed', async (t) => {
  const { owner, api, change, remove } = await openMerchant();
  const makeCode = await enrolSecondFactor(sql, api, owner.userId);
  const email = `${uniqueWord()}@example.com`;
  const invite = { method: 'POST', body: { email, role: 'viewer' } } as const;
  const headers = { 'accept-language': 'en' };
  const body = { email, role: 'finance', totp_code: await makeCode() };
  const invited = await api.call(USERS, { method: 'POST', body, headers });
  t.equal(invited.status, 201);
  t.match(invited.body, { email, role: 'finance', status: 'invited', email_verified: false });
  assertError(t, await api.call(USERS, invite), 409, 'state_conflict');
  const mail = await readMail(sql, email);
  t.match(mail?.subject, /Toko Satu invites you/);
  const anonymous = openApi(baseUrl);
  const login = { method: 'POST', body: { email, password: PASSWORD } } as const;
  assertError(t, await anonymous.call('/v1/auth/login', login), 401, 'login_failed');
  const choice = { token: mail?.token, password: PASSWORD };
  const joined = await anonymous.call('/v1/auth/password-reset/confirm', {
    method: 'POST',
    body: choice,
  });
  t.equal(joined.status, 204);
  const session = await anonymous.call('/v1/auth/login', login);
  t.match(session.body, { user: { role: 'finance', status: 'active', email_verified: true } });
  const own = openApi(baseUrl, String(session.body['token']));
  assertError(t, await own.call(USERS, invite), 403, 'role_insufficient');
  t.match((await change(invited.body['id'], 'owner', await makeCode())).body, { role: 'owner' });
  assertError(t, await own.call(USERS, invite), 409, 'state_conflict');
  t.equal((await remove(invited.body['id'], await makeCode())).status, 204);
  assertError(t, await own.call(USERS), 401, 'credential_invalid');
  const listed = (await api.call(USERS)).body['data'] as unknown[];
  t.equal(listed.length, 1);
});

t.test('the last owner of a merchant cannot be demoted or removed', async (t) => {
  const { merchantId, owner, api, change, remove } = await openMerchant();
  assertError(t, await change(owner.userId, 'viewer'), 409, 'state_conflict');
  assertError(t, await remove(owner.userId), 409, 'state_conflict');
  const makeCode = await enrolSecondFactor(sql, api, owner.userId);
  const code = { totp_code: await makeCode() };
  const invite = { email: `${uniqueWord()}@example.com`, role: 'owner', ...code };
  t.equal((await api.call(USERS, { method: 'POST', body: invite })).status, 201);
  assertError(t, await remove(owner.userId), 409, 'state_conflict');
  const second = await makePerson(sql, 'owner', merchantId);
  const other = openApi(baseUrl, await beginSession(sql, second));
  const makeOther = await enrolSecondFactor(sql, other, second.userId);
  const [own, body] = [await makeCode(), { totp_code: await makeOther() }];
  const [one, two] = await Promise.all([
    remove(second.userId, own),
    other.call(`${USERS}/${owner.userId}`, { method: 'DELETE', body }),
  ]);
  t.same([one.status, two.status].sort()[0], 204);
  const owners = await sql`
    select 1 from users where merchant_id = ${merchantId} and role = 'owner' and password_hash is not null`;
  t.equal(
    owners.length,
    1,
    `two owners that remove each other leave one (${one.status}, ${two.status})`,
  );
});

t.test('a user of another merchant returns 404', async (t) => {
  const { change, remove } = await openMerchant();
  const { owner: stranger } = await openMerchant();
  const admin = await makePerson(sql, 'admin', null);
  for (const { userId } of [stranger, admin]) {
    assertError(t, await change(userId, 'viewer'), 404, 'user_not_found');
    assertError(t, await remove(userId), 404, 'user_not_found');
  }
  assertError(t, await change(stranger.userId, 'admin'), 400, 'field_invalid');
});

t.test('a stolen session cannot add a person who may pay out or make keys', async (t) => {
  const { merchantId, owner, api, change } = await openMerchant();
  const viewer = await makePerson(sql, 'viewer', merchantId);
  const invite = (role: string, code?: string) =>
    api.call(USERS, {
      method: 'POST',
      body: { email: `${uniqueWord()}@example.com`, role, totp_code: code },
    });
  for (const role of ['owner', 'developer', 'finance']) {
    for (const answer of [await invite(role), await change(viewer.userId, role)]) {
      assertError(t, answer, 403, 'role_insufficient');
      t.match(answer.body, { error: { param: 'totp_code' } });
    }
  }
  t.equal((await invite('viewer')).status, 201);
  t.equal((await change(owner.userId, 'owner')).status, 200, 'nothing changes');
  const makeCode = await enrolSecondFactor(sql, api, owner.userId);
  assertError(t, await invite('developer'), 403, 'role_insufficient');
  assertError(t, await invite('finance', '000000'), 400, 'field_invalid');
  t.equal((await invite('developer', await makeCode())).status, 201);
  t.match((await change(viewer.userId, 'finance', await makeCode())).body, { role: 'finance' });
  const developer = change(viewer.userId, 'developer');
  assertError(t, await developer, 403, 'role_insufficient');
  t.match((await change(viewer.userId, 'viewer')).body, { role: 'viewer' }, 'rights are taken');
});

const KEYS = '/v1/merchants/me/api-keys';

/** A merchant with a developer who has made a key and rolled another one. */
async function openDeveloper() {
  const { owner, api } = await openMerchant();
  const developer = await makePerson(sql, 'developer', owner.merchantId);
  const theirs = openApi(baseUrl, await beginSession(sql, developer));
  const make = async (maker: Api): Promise<ApiAnswer['body']> =>
    (await maker.call(KEYS, { method: 'POST', body: { environment: 'TEST' } })).body;
  const [made, kept] = [await make(theirs), await make(api)];
  const rolled = await make(theirs);
  const roll = { method: 'POST', body: { overlap_seconds: 3_600 } } as const;
  const next = (await theirs.call(`${KEYS}/${String(rolled['id'])}/roll`, roll)).body;
  return { api, developer, kept, theirs: [made, rolled, next] };
}

const use = (key: ApiAnswer['body']): Promise<ApiAnswer[]> =>
  Promise.all(
    gateways.map((gateway) =>
      openApi(gateway.baseUrl, String(key['secret'])).call('/v1/payment-methods'),
    ),
  );

t.test('a removal keeps the keys of the user unless it asks to revoke them', async (t) => {
  const { api, developer, theirs } = await openDeveloper();
  const path = `${USERS}/${developer.userId}`;
  const wrong = await api.call(path, { method: 'DELETE', body: { revoke_keys: 'yes' } });
  assertError(t, wrong, 400, 'field_invalid');
  t.match(wrong.body, { error: { param: 'revoke_keys' } });
  t.equal((await api.call(path, { method: 'DELETE' })).status, 204);
  for (const key of theirs)
    t.same(
      (await use(key)).map(({ status }) => status),
      [200, 200],
    );
});

t.test('a removal that revokes ends all keys of the user, and no other', async (t) => {
  const { api, developer, kept, theirs } = await openDeveloper();
  for (const key of theirs)
    t.same(
      (await use(key)).map(({ status }) => status),
      [200, 200],
    );
  const removed = await api.call(`${USERS}/${developer.userId}`, {
    method: 'DELETE',
    body: { revoke_keys: true },
  });
  t.equal(removed.status, 204);
  for (const key of theirs) {
    await waitUntil('both gateways refuse the key', async () =>
      (await use(key)).every(({ code }) => code === 'credential_invalid'),
    );
  }
  t.same(
    (await use(kept)).map(({ status }) => status),
    [200, 200],
  );
});

t.test('the invitations that a removed user sent end, unless they were accepted', async (t) => {
  const { merchantId, owner, api, remove } = await openMerchant();
  const makeCode = await enrolSecondFactor(sql, api, owner.userId);
  const other = await makePerson(sql, 'owner', merchantId);
  const theirs = openApi(baseUrl, await beginSession(sql, other));
  const anonymous = openApi(baseUrl);
  const invite = async (inviter: Api) => {
    const email = `${uniqueWord()}@example.com`;
    const body = { email, role: 'viewer' };
    const { id } = (await inviter.call(USERS, { method: 'POST', body })).body;
    const { token } = (await readMail(sql, email)) ?? {};
    return { id, proof: { token, password: PASSWORD } };
  };
  const accept = (proof: object): Promise<ApiAnswer> =>
    anonymous.call('/v1/auth/password-reset/confirm', { method: 'POST', body: proof });
  const [open, accepted, kept] = [await invite(theirs), await invite(theirs), await invite(api)];
  t.equal((await accept(accepted.proof)).status, 204);
  t.equal((await remove(other.userId, await makeCode())).status, 204);
  assertError(t, await accept(open.proof), 400, 'field_invalid');
  const { data } = (await api.call(USERS)).body as { data: { id: unknown }[] };
  const ids = data.map(({ id }) => id);
  t.same(
    [open, accepted, kept].map(({ id }) => ids.includes(id)),
    [false, true, true],
  );
  t.equal((await accept(kept.proof)).status, 204);
});
