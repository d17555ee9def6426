// Several accounts of one address: strangers may register with any address. The one who verified it has the login; among the
// others only the latest registration counts. Verification and a reset end and clear what others have registered.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import type { MerchantId, UserId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { putEndpoint } from '#store/postgres/webhooks/change-endpoints.js';
import {
  enrolSecondFactor,
  insertPasskey,
  makeMerchant,
  makePerson,
  PASSWORD,
  readMail,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { uniqueWord } from '#test/support/processes.js';
import { useGateways } from '#test/support/standing/service.js';

const STRANGERS_PASSWORD = 'kata-sandi-orang-lain';
const NEW_PASSWORD = 'kata-sandi-yang-ketiga';
const ME = '/v1/merchants/me';
const LOGO =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2HNDlQAAAABJRU5ErkJggg==';

const { sql, gateways, baseUrl } = await useGateways(t);
const anonymous = openApi(baseUrl);
const post = (api: Api, path: string, body: object): Promise<ApiAnswer> =>
  api.call(path, { method: 'POST', body });
const uniqueAddress = (): string => `${uniqueWord()}@example.com`;
const logIn = (email: string, password: string): Promise<ApiAnswer> =>
  post(anonymous, '/v1/auth/login', { email, password });
const verify = (token: string, password: string): Promise<ApiAnswer> =>
  post(anonymous, '/v1/auth/verify', { token, password });
const choose = (token: string): Promise<ApiAnswer> =>
  post(anonymous, '/v1/auth/password-reset/confirm', { token, password: NEW_PASSWORD });

function assertError(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

interface Account {
  readonly email: string;
  readonly password: string;
  readonly userId: UserId;
  readonly merchantId: MerchantId;
  /** Of the mailed link; empty: there was none. */
  readonly token: string;
}

async function register(email: string, password: string): Promise<Account> {
  const body = { email, password, business_name: 'Toko Baru' };
  const made = (await post(anonymous, '/v1/auth/register', body)).body as {
    user: { id: UserId };
    merchant: { id: MerchantId };
  };
  const token = (await readMail(sql, email))?.token ?? '';
  return { email, password, userId: made.user.id, merchantId: made.merchant.id, token };
}

async function openSession({ email, password }: Account): Promise<Api> {
  const login = await logIn(email, password);
  return openApi(gateways[1]?.baseUrl ?? baseUrl, String(login.body['token']));
}

/** Asks for a reset, and returns the token of its mail. */
async function requestReset(email: string): Promise<string> {
  const before = (await readMail(sql, email))?.token;
  await post(anonymous, '/v1/auth/password-reset', { email });
  return waitUntil('the mail of the reset', async () => {
    const token = (await readMail(sql, email))?.token;
    return token === before || token === '' ? undefined : token;
  });
}

/** Makes all that an account can make before its address is verified. Returns the secret of a key. */
async function setUp(api: Api, { merchantId, userId }: Account): Promise<string> {
  const settings = { display_name: 'Toko Palsu', brand_colour: '#aa0000' };
  const contact = { support_email: 'jahat@example.com', support_phone: '+62 812 3456 7890' };
  const mails = {
    notices: { payment_received: true },
    receipts: { enabled: true, language: 'en' },
  };
  const url = { support_url: 'https://toko.example/bantuan' };
  const body = { ...settings, ...contact, ...url, ...mails };
  t.equal((await api.call(`${ME}/settings`, { method: 'PATCH', body })).status, 200);
  const logo = { method: 'PUT', body: { content: LOGO } } as const;
  t.equal((await api.call(`${ME}/logo`, logo)).status, 200);
  const link = { environment: 'TEST', title: 'Kopi', amount: '25000' };
  t.equal((await post(api, `${ME}/payment-links`, link)).status, 201);
  const items = [{ description: 'Kelas palsu', quantity: 1, unit_amount: '25000' }];
  const draft = { environment: 'TEST', items, customer_name: 'Budi', notes: 'Transfer ke saya' };
  for (const isFinal of [true, false]) {
    const { id } = (await post(api, `${ME}/invoices`, draft)).body;
    if (isFinal) await post(api, `${ME}/invoices/${String(id)}/finalize`, {});
  }
  await putEndpoint(sql, {
    ...{ id: `we_${uniqueWord()}`, merchantId, environment: 'TEST', url: 'https://192.0.2.1/' },
    ...{ events: ['*'], sealedSecret: 'sealed' },
  });
  await sql`
    update webhook_endpoints set holds_until = now() + interval '1 day' where merchant_id = ${merchantId}`;
  const key = await post(api, `${ME}/api-keys`, { environment: 'TEST' });
  await enrolSecondFactorWith(api, userId);
  await insertPasskey(sql, { userId } as never);
  await sql`update users set passkeys = passkeys + 1 where id = ${userId}`;
  return String(key.body['secret']);
}

/** The support knows PASSWORD only. */
async function enrolSecondFactorWith(api: Api, userId: UserId): Promise<void> {
  const [user] = await sql`select password_hash as hash from users where id = ${userId}`;
  const known = await makePerson(sql, 'owner', await makeMerchant(sql));
  await sql`
    update users set password_hash = (select password_hash from users where id = ${known.userId})
     where id = ${userId}`;
  await enrolSecondFactor(sql, api, userId);
  await sql`update users set password_hash = ${String(user?.['hash'])} where id = ${userId}`;
}

/** All that works or shows of an account, from its tables. */
async function readLeft({ merchantId }: Account): Promise<unknown> {
  const [row] = await sql`
    select (select count(*)::int from sessions s join users u on u.id = s.user_id
             where u.merchant_id = m.id and s.ended_at is null) as sessions,
           (select count(*)::int from api_keys
             where merchant_id = m.id and (revoked_at is null or revoked_at > now())) as keys,
           (select count(*)::int from webhook_endpoints
             where merchant_id = m.id and (active or secret <> '' or holds_until is not null)) as endpoints,
           (select count(*)::int from payment_links where merchant_id = m.id and active) as links,
           (select count(*)::int from invoices where merchant_id = m.id
             and (status <> 'void' or customer_name is not null or notes is not null or items like '%palsu%')) as invoices,
           (select count(*)::int from merchant_logos where merchant_id = m.id) as logos,
           (select count(*)::int from passkeys p join users u on u.id = p.user_id
             where u.merchant_id = m.id) as passkeys,
           (select count(*)::int from recovery_codes r join users u on u.id = r.user_id
             where u.merchant_id = m.id) as codes,
           (select count(*)::int from users u where u.merchant_id = m.id
             and (u.totp_secret is not null or u.passkeys > 0)) as factors,
           num_nonnulls(display_name, brand_colour, support_email, support_phone, support_url) as settings,
           sends_receipts or receipt_language <> 'id' or 'payment_received' = any(notices) as has_mails
      from merchants m where m.id = ${merchantId}`;
  return row;
}

const NOTHING = {
  ...{ sessions: 0, keys: 0, endpoints: 0, links: 0, invoices: 0, logos: 0 },
  ...{ passkeys: 0, codes: 0, factors: 0, settings: 0, has_mails: false },
};

t.test('of the accounts that registered with an address, the latest can log in', async (t) => {
  const email = uniqueAddress();
  const first = await register(email, PASSWORD);
  t.equal((await logIn(email, PASSWORD)).status, 200);
  await register(email, STRANGERS_PASSWORD);
  assertError(t, await logIn(email, PASSWORD), 401, 'login_failed');
  t.match((await logIn(email, STRANGERS_PASSWORD)).body, { user: { email_verified: false } });
  t.equal((await verify(first.token, PASSWORD)).status, 204, 'its own link still works');
  t.match((await logIn(email, PASSWORD)).body, { user: { id: first.userId } });
  assertError(t, await logIn(email, STRANGERS_PASSWORD), 401, 'login_failed');
});

t.test('a registration with a verified address can not be used', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  await register(owner.email, STRANGERS_PASSWORD);
  t.match((await logIn(owner.email, PASSWORD)).body, { user: { id: owner.userId } });
  assertError(t, await logIn(owner.email, STRANGERS_PASSWORD), 401, 'login_failed');
});

t.test(
  'the link of a stranger verifies nothing without the password of the stranger',
  async (t) => {
    const email = uniqueAddress();
    const own = await register(email, PASSWORD);
    const api = await openSession(own);
    const strange = await register(email, STRANGERS_PASSWORD);
    const wrong = await verify(strange.token, PASSWORD);
    assertError(t, wrong, 400, 'field_invalid');
    t.match(wrong.body, { error: { param: 'password' } });
    assertError(
      t,
      await post(anonymous, '/v1/auth/verify', { token: strange.token }),
      400,
      'field_invalid',
    );
    t.equal((await api.call(ME)).status, 200, 'the session of the owner goes on');
    const verified =
      await sql`select 1 from users where email = ${email} and verified_at is not null`;
    t.same(verified, []);
    t.equal((await verify(own.token, PASSWORD)).status, 204);
    t.equal((await api.call(ME)).status, 200, 'also after the verification');
    assertError(t, await verify(strange.token, STRANGERS_PASSWORD), 400, 'field_invalid');
  },
);

t.test('a verification ends and clears the accounts that others registered', async (t) => {
  const email = uniqueAddress();
  const own = await register(email, PASSWORD);
  const strange = await register(email, STRANGERS_PASSWORD);
  const api = await openSession(strange);
  const secret = await setUp(api, strange);
  t.notSame(await readLeft(strange), NOTHING);
  t.equal((await verify(own.token, PASSWORD)).status, 204);
  t.same(await readLeft(strange), NOTHING);
  const left = await sql`select 1 from users where merchant_id = ${strange.merchantId}`;
  t.same(left, [], 'the user is gone');
  assertError(t, await api.call(ME), 401, 'credential_invalid');
  await waitUntil('its key has stopped working', async () => {
    return (await openApi(baseUrl, secret).call('/v1/balance')).code === 'credential_invalid';
  });
});

t.test('a reset clears the account of its link and those of others', async (t) => {
  const email = uniqueAddress();
  const former = await register(email, STRANGERS_PASSWORD);
  await setUp(await openSession(former), former);
  const strange = await register(email, STRANGERS_PASSWORD);
  const api = await openSession(strange);
  await setUp(api, strange);
  const token = await requestReset(email);
  t.equal((await choose(token)).status, 204);
  t.same([await readLeft(former), await readLeft(strange)], [NOTHING, NOTHING]);
  assertError(t, await api.call(ME), 401, 'session_expired');
  const login = await logIn(email, NEW_PASSWORD);
  t.match(login.body, { user: { email_verified: true, totp_enabled: false, passkeys: 0 } });
  const own = openApi(baseUrl, String(login.body['token']));
  t.match((await own.call(`${ME}/settings`)).body, { display_name: null, logo_url: null });
  const { data } = (await own.call(`${ME}/invoices`)).body as { data: { status: string }[] };
  t.same(
    data.map(({ status }) => status),
    ['void', 'void'],
  );
  t.notMatch((await own.call(`${ME}/invoices`)).text, /palsu|Budi|Transfer/);
  for (const { token: late } of [former, strange]) {
    assertError(t, await verify(late, STRANGERS_PASSWORD), 400, 'field_invalid');
  }
});

t.test('a reset link that was mailed before a registration ends that one too', async (t) => {
  const email = uniqueAddress();
  const own = await register(email, PASSWORD);
  const token = await requestReset(email);
  const strange = await register(email, STRANGERS_PASSWORD);
  const api = await openSession(strange);
  t.equal((await choose(token)).status, 204);
  assertError(t, await api.call(ME), 401, 'credential_invalid');
  assertError(t, await logIn(email, STRANGERS_PASSWORD), 401, 'login_failed');
  t.match((await logIn(email, NEW_PASSWORD)).body, { user: { id: own.userId } });
});

t.test('a reset link of an account that has ended chooses no password', async (t) => {
  const email = uniqueAddress();
  const own = await register(email, PASSWORD);
  await register(email, STRANGERS_PASSWORD);
  const token = await requestReset(email);
  t.equal((await verify(own.token, PASSWORD)).status, 204);
  assertError(t, await choose(token), 400, 'field_invalid');
  t.equal((await logIn(email, PASSWORD)).status, 200);
});

t.test('an accepted invitation ends what others registered with the address', async (t) => {
  const email = uniqueAddress();
  const strange = await register(email, STRANGERS_PASSWORD);
  const api = await openSession(strange);
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const digest = randomBytes(32).toString('base64url');
  const id = uniqueWord('usr');
  await sql`insert into users (id, email, merchant_id, role)
            values (${id}, ${email}, ${owner.merchantId}, 'viewer')`;
  await sql`insert into one_time_links (digest, purpose, user_id, expires_at)
            values (sha256(convert_to(${digest}, 'UTF8')), 'invite', ${id}, now() + interval '1 hour')`;
  t.equal((await choose(digest)).status, 204);
  assertError(t, await api.call(ME), 401, 'credential_invalid');
  t.match((await logIn(email, NEW_PASSWORD)).body, { user: { id } });
  t.equal((await logIn(owner.email, PASSWORD)).status, 200, 'the merchant keeps its users');
});

t.test('payments of an account that has ended stay', async (t) => {
  const email = uniqueAddress();
  const own = await register(email, PASSWORD);
  const strange = await register(email, STRANGERS_PASSWORD);
  const api = await openSession(strange);
  const key = await post(api, `${ME}/api-keys`, { environment: 'TEST' });
  const server = openApi(baseUrl, String(key.body['secret']));
  const { id } = (await server.create({ amount: '150000', payment_method: 'QRIS' })).body;
  await server.simulate(id, 'paid');
  t.equal((await verify(own.token, PASSWORD)).status, 204);
  const [payment] = await sql`
    select status, merchant_id = ${strange.merchantId} as is_same from payments where id = ${String(id)}`;
  t.same(payment, { status: 'paid', is_same: true });
});
