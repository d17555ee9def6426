// The audit log of what users change over HTTP: each row has its actor, the client, and what was before and after, and
// none has a secret. Then `kasir audit verify` proves the chains.
import t, { type Test } from 'tap';
import { Secret, TOTP } from 'otpauth';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { reportFailedLogins } from '#store/postgres/operations/audit.js';
import {
  beginSession,
  enrolSecondFactor,
  makeMerchant,
  makePerson,
  PASSWORD,
  type Person,
  readMail,
  startGateways,
} from '#test/support/accounts.js';
import { type Api, openApi } from '#test/support/api.js';
import { runKasir } from '#test/support/kasir.js';
import { uniqueWord } from '#test/support/processes.js';

const OTHER_PASSWORD = 'kata-sandi-yang-lain';
const CLIENT = '192.0.2.44';
const HOOKS = '/v1/merchants/me/webhooks';
const { sql, gateways, databaseUrl } = await startGateways(t, 2, {
  TRUSTED_PROXIES: '127.0.0.0/8',
  RATE_LIMIT_LOGIN: '0',
});

/** A client behind the proxy, at one of the two gateways. */
function openClient(token?: string, gateway = 0): Api {
  const api = openApi(gateways[gateway]?.baseUrl ?? '', token);
  const headers = { 'x-forwarded-for': CLIENT };
  return { ...api, call: (path, options = {}) => api.call(path, { ...options, headers }) };
}

const post = (api: Api, path: string, body: object = {}) =>
  api.call(path, { method: 'POST', body });

async function openOwner(): Promise<{ owner: Person; api: Api }> {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  return { owner, api: openClient(await beginSession(sql, owner)) };
}

interface Entry {
  readonly action: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The entries of a person from the client's address, oldest first. */
async function readEntries(actor: string, action: string, chain: string | null): Promise<Entry[]> {
  return [
    ...(await sql<Entry[]>`
      select action, before, after from audit_log
       where actor = ${actor} and address = ${CLIENT} and chain = ${chain} and action like ${action}
       order by id`),
  ];
}

async function assertHidden(t: Test, secrets: readonly unknown[]): Promise<void> {
  const [row] = await sql<{ text: string }[]>`
    select string_agg(concat_ws(' ', before, after, personal), ' ') as text from audit_log`;
  for (const secret of secrets) {
    t.ok(String(secret).length > 5);
    t.notOk(row?.text.includes(String(secret)), 'no entry shows the secret');
  }
}

t.test('each change of a webhook endpoint has an entry without its secrets', async (t) => {
  const { owner, api } = await openOwner();
  const [url, other] = ['https://93.184.215.14/first', 'https://93.184.215.14/second'];
  const makeCode = await enrolSecondFactor(sql, api, owner.userId);
  const prove = async (body: object = {}) => ({ ...body, totp_code: await makeCode() });
  const made = (await post(api, HOOKS, await prove({ url, environment: 'LIVE' }))).body;
  const path = `${HOOKS}/${String(made['id'])}`;
  const change = { method: 'PATCH', body: await prove({ url: other }) } as const;
  t.equal((await api.call(path, change)).status, 200);
  const rotated = (await post(api, `${path}/rotate`, await prove())).body;
  t.equal((await api.call(path, { method: 'DELETE', body: await prove() })).status, 204);
  const entries = await readEntries(owner.userId, 'webhook_endpoints.%', owner.merchantId);
  t.match(entries, [
    {
      action: 'webhook_endpoints.insert',
      before: null,
      after: /first.*\[secret\]|\[secret\].*first/,
    },
    { action: 'webhook_endpoints.update', before: /first/, after: /second/ },
    { action: 'webhook_endpoints.update', before: /"next_secret": null/, after: /\[secret\]/ },
    { action: 'webhook_endpoints.update', before: /"active": true/, after: /"deleted_at": "/ },
  ]);
  t.equal(entries.length, 4);
  await assertHidden(t, [made['secret'], rotated['secret']]);
});

t.test('changes of the password and the second factor name the user', async (t) => {
  const { owner, api } = await openOwner();
  const begun = (await post(api, '/v1/auth/totp', { current_password: PASSWORD })).body;
  const totp = new TOTP({ secret: Secret.fromBase32(String(begun['secret'])) });
  const codeAt = (steps: number) => totp.generate({ timestamp: Date.now() + steps * 30_000 });
  t.equal((await post(api, '/v1/auth/totp/confirm', { code: codeAt(0) })).status, 200);
  const change = { current_password: PASSWORD, password: OTHER_PASSWORD };
  t.equal((await post(api, '/v1/auth/password', change)).status, 204);
  const removal = { current_password: OTHER_PASSWORD, code: codeAt(1) };
  const removed = await api.call('/v1/auth/totp', { method: 'DELETE', body: removal });
  t.equal(removed.status, 204, removed.text);
  const entries = await readEntries(owner.userId, 'users.%', owner.merchantId);
  t.match(
    entries.map(({ before, after }) => [before, after]),
    [
      [/"totp_secret": null/, /"totp_secret": "\[secret\]"/],
      [/"totp_confirmed_at": null/, /"totp_confirmed_at": "2/],
      [/"password_hash": "\[secret\]"/, /"password_hash": "\[secret\]"/],
      [/"totp_secret": "\[secret\]"/, /"totp_secret": null/],
    ],
  );
  await assertHidden(t, [begun['secret'], 'argon2']);
});

t.test('a registration, a verification and a reset name the user of the link', async (t) => {
  const email = `${uniqueWord()}@example.com`;
  const anonymous = openClient();
  const body = { email, password: PASSWORD, business_name: 'Toko' };
  const { merchant, user } = (await post(anonymous, '/v1/auth/register', body)).body as {
    merchant: { id: string };
    user: { id: string };
  };
  const verification = await readMail(sql, email);
  const verified = await post(anonymous, '/v1/auth/verify', {
    ...{ token: verification?.token, password: PASSWORD },
  });
  t.equal(verified.status, 204);
  await post(anonymous, '/v1/auth/password-reset', { email });
  const reset = await waitUntil('the mail was written', async () => {
    const mail = await readMail(sql, email);
    return mail?.token === verification?.token ? undefined : mail;
  });
  const choice = { token: reset.token, password: OTHER_PASSWORD };
  t.equal((await post(anonymous, '/v1/auth/password-reset/confirm', choice)).status, 204);
  const actions = await readEntries(user.id, '%', merchant.id);
  t.match(
    actions.map(({ action }) => action).filter((action) => !action.startsWith('one_time_links')),
    ['merchants.insert', 'users.insert', 'users.update', 'users.update'],
  );
  const asked = await readEntries('anonymous', 'one_time_links.insert', merchant.id);
  t.match(asked, [{ after: /"purpose": "reset"/ }]);
  const [stored] = await sql`
    select personal from audit_log where target = ${user.id} and action = 'users.insert'`;
  t.match(stored, { personal: new RegExp(email) }, 'the address can be erased');
  await assertHidden(t, [verification?.token, reset.token]);
});

t.test('logins and ended sessions name the user', async (t) => {
  const { owner, api } = await openOwner();
  const login = { email: owner.email, password: PASSWORD };
  const { token } = (await post(openClient(), '/v1/auth/login', login)).body;
  t.equal((await post(openClient(String(token)), '/v1/auth/logout')).status, 204);
  t.equal((await api.call('/v1/auth/sessions', { method: 'DELETE' })).status, 204);
  const entries = await readEntries(owner.userId, 'sessions.%', owner.merchantId);
  t.match(entries, [
    { action: 'sessions.insert', after: /"digest": "\[secret\]"/ },
    { action: 'sessions.update', before: /"ended_at": null/ },
  ]);
});

t.test('a flood of failed logins writes two entries per account and hour', async (t) => {
  const { owner } = await openOwner();
  const attempt = (index: number, email: string) =>
    post(openClient(undefined, index % 2), '/v1/auth/login', { email, password: 'wrong-password' });
  for (let index = 0; index < 24; index += 2) {
    const emails = [owner.email, `${uniqueWord()}@example.com`];
    const attempts = emails.flatMap((email) => [attempt(index, email), attempt(index + 1, email)]);
    for (const { status } of await Promise.all(attempts)) t.equal(status, 401);
  }
  const read = () => sql<{ target: string; after: string; address: string }[]>`
    select target, after, address from audit_log where action = 'login.failed'
     order by target, id`;
  await waitUntil('all are counted', async () => {
    const rows = await sql`select 1 from failed_logins where failures = 24`;
    return rows.length === 2;
  });
  t.match(await read(), [
    { target: 'unknown account', after: /"failures" : 1\}/, address: CLIENT },
    { target: owner.userId, after: /"failures" : 1\}/, address: CLIENT },
  ]);
  await reportFailedLogins(sql);
  t.equal((await read()).length, 2, 'the hour is not over');
  await sql`update failed_logins set hour = hour - interval '1 hour'`;
  await Promise.all([reportFailedLogins(sql), reportFailedLogins(sql)]);
  t.match(await read(), [
    { target: 'unknown account', after: /"failures" : 1\}/ },
    { target: 'unknown account', after: /"failures" : 24\}/ },
    { target: owner.userId, after: /"failures" : 1\}/ },
    { target: owner.userId, after: /"failures" : 24\}/ },
  ]);
  const [left] = await sql`select count(*)::int as count from failed_logins`;
  t.equal(left?.['count'], 0);
});

t.test('a wrong password or code within a session counts as a failed login', async (t) => {
  const { owner, api } = await openOwner();
  const change = { current_password: 'wrong-password', password: OTHER_PASSWORD };
  t.equal((await post(api, '/v1/auth/password', change)).status, 400);
  await waitUntil('it is counted', async () => {
    const [row] = await sql`select failures from failed_logins where account = ${owner.userId}`;
    return row?.['failures'] === 1;
  });
});

t.test('the chains of all of this verify', async (t) => {
  const { code, stdout } = await runKasir(
    { DATABASE_URL: databaseUrl },
    'audit',
    'verify',
    '--json',
  );
  t.equal(code, 0, stdout);
  t.match(JSON.parse(stdout), { isSound: true, faults: { length: 0 } });
});
