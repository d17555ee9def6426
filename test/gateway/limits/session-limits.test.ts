// Rate limits of dashboard sessions, by two gateways behind a proxy.
import t from 'tap';
import {
  beginSession,
  makeMerchant,
  makePerson,
  PASSWORD,
  PNG,
  startGateways,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';

const PER_SECOND = 2;
const BURST = 2 * PER_SECOND;
/** The answer to an upload or a file beside others of the merchant, which counts as answered here. */
const IS_BUSY = /one after the other|files are being downloaded/;

const { sql, gateways } = await startGateways(t, 2, {
  RATE_LIMIT_SESSION: String(PER_SECOND),
  TRUSTED_PROXIES: '127.0.0.0/8',
});

const open = async (person: Parameters<typeof beginSession>[1], gateway = 0): Promise<Api> =>
  openApi(gateways[gateway]?.baseUrl ?? '', await beginSession(sql, person));

const openOwner = async () => makePerson(sql, 'owner', await makeMerchant(sql));

async function countAnswered(count: number, call: () => Promise<ApiAnswer>): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, call));
  const refused = answers.filter(
    ({ code, text }) => code === 'rate_limited' && !IS_BUSY.test(text),
  );
  return count - refused.length;
}

/** A busy machine lets some run off. */
const isAbout = (count: number, burst: number): boolean => count >= burst && count <= burst + 4;

t.test('a session gets a burst of twice its rate, then 429 with limit headers', async (t) => {
  const owner = await openOwner();
  const api = await open(owner);
  const first = await api.call('/v1/merchants/me');
  t.equal(first.status, 200);
  t.equal(first.headers['ratelimit-limit'], String(BURST));
  const answered = await countAnswered(20, () => api.call('/v1/merchants/me'));
  t.ok(isAbout(answered, BURST - 1), `${answered} were answered`);
  const refused = await api.call('/v1/auth/sessions');
  t.equal(refused.code, 'rate_limited', 'on another route too');
  t.equal(refused.headers['retry-after'], '1');
  t.equal((await (await open(owner)).call('/v1/merchants/me')).status, 200, 'another session');
});

t.test('the sessions of a merchant together are limited too', async (t) => {
  const owner = await openOwner();
  const sessions = await Promise.all(Array.from({ length: 8 }, () => open(owner)));
  const counts = await Promise.all(
    sessions.map((api) => countAnswered(BURST, () => api.call('/v1/merchants/me'))),
  );
  const answered = counts.reduce((sum, count) => sum + count, 0);
  t.ok(answered >= 5 * BURST && answered < 8 * BURST, `${answered} of ${8 * BURST}`);
  const other = await open(await openOwner());
  t.equal((await other.call('/v1/merchants/me')).status, 200, 'another merchant goes on');
});

t.test('each class of session routes is limited', async (t) => {
  const classes: [path: string, call: Parameters<Api['call']>[1]][] = [
    ['/v1/merchants/me/payments', {}],
    ['/v1/merchants/me/payments', { headers: { accept: 'text/csv' } }],
    ['/v1/merchants/me/users', { method: 'POST', body: { email: 'x', role: 'viewer' } }],
    ['/v1/auth/password', { method: 'POST', body: { current_password: 'x', password: PASSWORD } }],
    [
      '/v1/merchants/kyc/documents',
      { method: 'POST', body: { purpose: 'TAX', filename: 'a', content: PNG.toString('base64') } },
    ],
  ];
  for (const [path, call] of classes) {
    const api = await open(await openOwner());
    const answered = await countAnswered(12, () => api.call(path, call));
    t.ok(isAbout(answered, BURST), `${path}: ${answered} were answered`);
  }
  const admin = await open(await makePerson(sql, 'admin', null));
  const answered = await countAnswered(12, () => admin.call('/v1/admin/merchants'));
  t.ok(isAbout(answered, BURST), `an administrator: ${answered} were answered`);
});

t.test('a client that guesses sessions is limited, and open sessions stay', async (t) => {
  const guesser = '198.51.100.7';
  const ask = (token: string, client: string): Promise<ApiAnswer> =>
    openApi(gateways[0]?.baseUrl ?? '', token).call('/v1/merchants/me', {
      headers: { 'x-forwarded-for': client },
    });
  const token = await beginSession(sql, await openOwner());
  t.equal((await ask(token, guesser)).status, 200);
  const answers: ApiAnswer[] = [];
  for (let index = 0; index < 40; index += 1) {
    answers.push(await ask(`cs_${String(index).padStart(43, '0')}`, guesser));
  }
  const looked = answers.filter(({ code }) => code === 'credential_invalid').length;
  t.ok(looked >= 5 * PER_SECOND && looked <= 5 * PER_SECOND + 4, `${looked} were looked up`);
  t.equal(answers.at(-1)?.code, 'rate_limited');
  t.equal((await ask(token, guesser)).status, 200, 'a session that was found before');
  const fresh = await beginSession(sql, await openOwner());
  t.equal((await ask(fresh, guesser)).code, 'rate_limited', 'a session that was not');
  t.equal((await ask(fresh, '198.51.100.8')).status, 200, 'another client');
});

t.test('a client that guesses cookies is limited too', async (t) => {
  const client = { 'x-forwarded-for': '198.51.100.77' };
  const ask = (cookies: string): Promise<ApiAnswer> =>
    openApi(gateways[0]?.baseUrl ?? '').call('/v1/auth/me', {
      headers: { ...client, cookie: cookies },
    });
  const token = await beginSession(sql, await openOwner());
  t.equal((await ask(`session=${token}`)).status, 200);
  const answers: ApiAnswer[] = [];
  for (let index = 0; index < 40; index += 1) {
    answers.push(await ask(`session=cs_${String(index).padStart(43, '0')}`));
  }
  const looked = answers.filter(({ code }) => code === 'credential_invalid').length;
  t.ok(looked >= 5 * PER_SECOND && looked <= 5 * PER_SECOND + 4, `${looked} were looked up`);
  t.equal(answers.at(-1)?.code, 'rate_limited');
  t.equal((await ask(`theme=dark; session=${token}`)).status, 200, 'a session that was found');
  t.equal((await ask('theme=dark')).code, 'credential_missing', 'other cookies are no guess');
});

t.test('two gateways share the limit of a session', async (t) => {
  const token = await beginSession(sql, await openOwner());
  const apis = gateways.map(({ baseUrl }) => openApi(baseUrl, token));
  // Requests that both let in before they synchronized must drain before either lets in more.
  let accepted = 0;
  const began = performance.now();
  while (performance.now() - began < 3_000) {
    for (const api of apis) {
      if ((await api.call('/v1/merchants/me')).status === 200) accepted += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const seconds = (performance.now() - began) / 1000;
  t.ok(accepted >= BURST && accepted <= BURST + PER_SECOND * seconds + 2, `${accepted}`);
});
