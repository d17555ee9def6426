// Strangers who use up the logins of an account, and its user: in a browser that is known, by a mailed link, and in a session.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
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
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { uniqueWord } from '#test/support/processes.js';

/** One client has one failure, all clients together 20. */
const { sql, baseUrl } = await startGateways(t, 1, {
  RATE_LIMIT_LOGIN: '1',
  TRUSTED_PROXIES: '127.0.0.0/8',
});
const anonymous = openApi(baseUrl);
let clients = 0;
/** An address that was not used before. */
const nextClient = (): string => {
  clients += 1;
  return `198.51.${100 + Math.floor(clients / 250)}.${(clients % 250) + 1}`;
};

interface Attempt {
  readonly password?: string;
  readonly cookie?: string;
  readonly client?: string;
}

function logIn(
  email: string,
  { password = PASSWORD, cookie = '', client = nextClient() }: Attempt = {},
): Promise<ApiAnswer> {
  const sent = cookie === '' ? {} : { cookie };
  return anonymous.call('/v1/auth/login', {
    method: 'POST',
    body: { email, password, cookie: true },
    headers: { 'x-forwarded-for': client, ...sent },
  });
}

/** The cookie by which the browser is known, as it sends it. */
const readDevice = ({ headers }: ApiAnswer): string =>
  [headers['set-cookie'] ?? []]
    .flat()
    .find((each) => each.startsWith('service_device='))
    ?.split(';')[0] ?? '';

const openOwner = async (): Promise<Person> => makePerson(sql, 'owner', await makeMerchant(sql));

/** Strangers fail from one address after the other until every new one is refused. */
const lock = ({ email }: Pick<Person, 'email'>): Promise<unknown> =>
  waitUntil('the account is locked', async () => {
    return (await logIn(email, { password: 'a guess' })).code === 'rate_limited';
  });

t.test(
  'a browser in which the user has logged in before gets in while the account is locked',
  async (t) => {
    const [owner, other] = [await openOwner(), await openOwner()];
    const device = readDevice(await logIn(owner.email));
    const foreign = readDevice(await logIn(other.email));
    await lock(owner);
    t.equal((await logIn(owner.email)).code, 'rate_limited', 'a browser that is not known');
    t.equal((await logIn(owner.email, { cookie: foreign })).code, 'rate_limited', "another user's");
    const forged = device.replace(/.{9}$/, (end) => [...end].reverse().join(''));
    t.equal((await logIn(owner.email, { cookie: forged })).code, 'rate_limited', 'a changed one');
    const client = nextClient();
    t.equal((await logIn(owner.email, { cookie: device, client })).status, 200);
    const wrong = { cookie: device, password: 'a mistake' };
    t.equal((await logIn(owner.email, wrong)).code, 'login_failed');
    t.equal((await logIn(owner.email, wrong)).code, 'rate_limited', 'its own guesses are limited');
  },
);

t.test(
  'a user whose account is locked gets in after choosing a password by a mailed link',
  async (t) => {
    const owner = await openOwner();
    await lock(owner);
    await waitUntil(
      'the user is told',
      async () => (await readMail(sql, owner.email)) !== undefined,
    );
    const post = (path: string, body: object): Promise<ApiAnswer> =>
      anonymous.call(`/v1/auth/${path}`, {
        ...{ method: 'POST', body, headers: { 'x-forwarded-for': nextClient() } },
      });
    t.equal((await post('password-reset', { email: owner.email })).status, 204);
    const { token } = await waitUntil('the link is mailed', async () => {
      const mail = await readMail(sql, owner.email);
      return mail === undefined || mail.token === '' ? null : mail;
    });
    const chosen = await post('password-reset/confirm', { token, password: `${PASSWORD}-baru` });
    t.equal(chosen.status, 204);
    const password = `${PASSWORD}-baru`;
    t.equal((await logIn(owner.email, { password })).code, 'rate_limited');
    t.equal((await logIn(owner.email, { password, cookie: readDevice(chosen) })).status, 200);
  },
);

/** Registers a merchant, and returns the address of its owner, who has not verified it. */
async function register(): Promise<string> {
  const email = `${uniqueWord()}@example.com`;
  const body = { email, password: PASSWORD, business_name: 'Toko Baru' };
  const headers = { 'x-forwarded-for': nextClient() };
  const answer = await anonymous.call('/v1/auth/register', { method: 'POST', body, headers });
  if (answer.status !== 201) throw new Error(answer.text);
  return email;
}

t.test('a user whose account is locked verifies the address', async (t) => {
  const verify = async (email: string, password: string): Promise<ApiAnswer> =>
    anonymous.call('/v1/auth/verify', {
      ...{ method: 'POST', body: { token: (await readMail(sql, email))?.token, password } },
      headers: { 'x-forwarded-for': nextClient() },
    });
  const email = await register();
  await lock({ email });
  t.equal((await verify(email, PASSWORD)).status, 204);
  const other = await register();
  t.equal((await verify(other, 'a mistake')).code, 'field_invalid');
  t.equal((await verify(other, PASSWORD)).code, 'rate_limited', 'guesses with a link are limited');
});

t.test('an account whose address was never verified makes no browser known', async (t) => {
  const email = await register();
  const answer = await logIn(email);
  t.equal(answer.status, 200);
  t.equal(readDevice(answer), '');
});

t.test(
  'an owner in a session proves a code and a password while the account is locked',
  async (t) => {
    const owner = await openOwner();
    const session = openApi(baseUrl, await beginSession(sql, owner));
    const makeCode = await enrolSecondFactor(sql, session, owner.userId);
    await lock(owner);
    const body = { environment: 'TEST', scopes: ['payouts'], totp_code: await makeCode() };
    const answer = await session.call('/v1/merchants/me/api-keys', { method: 'POST', body });
    t.equal(answer.status, 201, answer.text);
    const changed = await session.call('/v1/auth/password', {
      ...{ method: 'POST', body: { current_password: PASSWORD, password: `${PASSWORD}-lain` } },
    });
    t.equal(changed.status, 204, changed.text);
  },
);
