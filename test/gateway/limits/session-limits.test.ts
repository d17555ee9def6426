// Rate limits of dashboard sessions, by two gateways behind a proxy.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
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
/** Sessions that do not exist, of one client. */
const GUESSES = 5 * PER_SECOND;
const GUESSES_PER_SECOND = PER_SECOND / 4;
/** The answer to an upload or a file beside others of the merchant, which counts as answered here. */
const IS_BUSY = /one after the other|files are being downloaded/;

const { sql, gateways } = await startGateways(t, 2, {
  RATE_LIMIT_SESSION: String(PER_SECOND),
  TRUSTED_PROXIES: '127.0.0.0/8',
});

const open = async (person: Parameters<typeof beginSession>[1], gateway = 0): Promise<Api> =>
  openApi(gateways[gateway]?.baseUrl ?? '', await beginSession(sql, person));

/** A session that does not exist. */
const makeUnknown = (index: number): string => `cs_${String(index).padStart(43, '0')}`;

const openOwner = async () => makePerson(sql, 'owner', await makeMerchant(sql));

/** Sends all at once. `most`: the burst, and as many as may have drained before the last one came. */
async function countAnswered(count: number, burst: number, call: () => Promise<ApiAnswer>) {
  const beganMs = performance.now();
  const answers = await Promise.all(Array.from({ length: count }, call));
  const refused = answers.filter(
    ({ code, text }) => code === 'rate_limited' && !IS_BUSY.test(text),
  );
  return { answered: count - refused.length, most: burst + countDrained(beganMs, PER_SECOND) };
}

const countDrained = (sinceMs: number, perSecond: number): number =>
  Math.ceil(((performance.now() - sinceMs) / 1000) * perSecond);

t.test('a session gets a burst of twice its rate, then 429 with limit headers', async (t) => {
  const owner = await openOwner();
  const api = await open(owner);
  const beganMs = performance.now();
  const first = await api.call('/v1/merchants/me');
  t.equal(first.status, 200);
  t.equal(first.headers['ratelimit-limit'], String(BURST));
  const { answered } = await countAnswered(20, BURST, () => api.call('/v1/merchants/me'));
  const most = BURST - 1 + countDrained(beganMs, PER_SECOND);
  t.ok(answered >= BURST - 1 && answered <= most, `${answered} of at most ${most} were answered`);
  const refused = await waitUntil('another route is refused too', async () => {
    await countAnswered(BURST, BURST, () => api.call('/v1/merchants/me'));
    const answer = await api.call('/v1/auth/sessions');
    return answer.code === 'rate_limited' ? answer : null;
  });
  t.equal(refused.headers['retry-after'], '1');
  t.equal((await (await open(owner)).call('/v1/merchants/me')).status, 200, 'another session');
});

t.test('the sessions of a merchant together are limited too', async (t) => {
  const owner = await openOwner();
  const sessions = await Promise.all(Array.from({ length: 8 }, () => open(owner)));
  const beganMs = performance.now();
  const counts = await Promise.all(
    sessions.map((api) => countAnswered(BURST, BURST, () => api.call('/v1/merchants/me'))),
  );
  const answered = counts.reduce((sum, count) => sum + count.answered, 0);
  const most = 5 * BURST + countDrained(beganMs, 5 * PER_SECOND);
  t.ok(answered >= 5 * BURST && answered <= most, `${answered} of at most ${most}`);
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
    const { answered, most } = await countAnswered(12, BURST, () => api.call(path, call));
    t.ok(answered >= BURST && answered <= most, `${path}: ${answered} of at most ${most}`);
  }
  const admin = await open(await makePerson(sql, 'admin', null));
  const ask = () => admin.call('/v1/admin/merchants');
  const { answered, most } = await countAnswered(12, BURST, ask);
  t.ok(answered >= BURST && answered <= most, `an administrator: ${answered} of at most ${most}`);
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
  const beganMs = performance.now();
  for (let index = 0; index < 40; index += 1) {
    answers.push(await ask(makeUnknown(index), guesser));
  }
  const looked = answers.filter(({ code }) => code === 'credential_invalid').length;
  const most = GUESSES + countDrained(beganMs, GUESSES_PER_SECOND);
  t.ok(looked >= GUESSES && looked <= most, `${looked} of at most ${most} were looked up`);
  t.ok(answers.some(({ code }) => code === 'rate_limited'));
  t.equal((await ask(token, guesser)).status, 200, 'a session that was found before');
  const fresh = await waitUntil('a session that was not found before is refused', async () => {
    for (let index = 0; index < GUESSES; index += 1) await ask(makeUnknown(index), guesser);
    const session = await beginSession(sql, await openOwner());
    return (await ask(session, guesser)).code === 'rate_limited' ? session : null;
  });
  t.equal((await ask(fresh, '198.51.100.8')).status, 200, 'another client');
});

t.test('a client that guesses cookies is limited too', async (t) => {
  const client = { 'x-forwarded-for': '198.51.100.77' };
  const ask = (cookies: string): Promise<ApiAnswer> =>
    openApi(gateways[0]?.baseUrl ?? '').call('/v1/auth/me', {
      headers: { ...client, cookie: cookies },
    });
  const token = await beginSession(sql, await openOwner());
  t.equal((await ask(`service_session=${token}`)).status, 200);
  const answers: ApiAnswer[] = [];
  const beganMs = performance.now();
  for (let index = 0; index < 40; index += 1) {
    answers.push(await ask(`service_session=${makeUnknown(index)}`));
  }
  const looked = answers.filter(({ code }) => code === 'credential_invalid').length;
  const most = GUESSES + countDrained(beganMs, GUESSES_PER_SECOND);
  t.ok(looked >= GUESSES && looked <= most, `${looked} of at most ${most} were looked up`);
  t.ok(answers.some(({ code }) => code === 'rate_limited'));
  t.equal(
    (await ask(`theme=dark; service_session=${token}`)).status,
    200,
    'a session that was found',
  );
  t.equal((await ask('theme=dark')).code, 'credential_missing', 'other cookies are no guess');
});

interface RefusedSession {
  readonly token: string;
  readonly path: string;
}

/** Sessions that exist, by the error that their requests get. */
const refusedSessions: Record<string, () => Promise<RefusedSession>> = {
  role_insufficient: async () => {
    const viewer = await makePerson(sql, 'viewer', await makeMerchant(sql));
    return { token: await beginSession(sql, viewer), path: '/v1/merchants/me/webhooks' };
  },
  session_expired: async () => {
    const token = await beginSession(sql, await openOwner());
    const api = openApi(gateways[0]?.baseUrl ?? '', token);
    const { status } = await api.call('/v1/auth/logout', { method: 'POST' });
    if (status !== 204) throw new Error(`the session did not end: ${status}`);
    return { token, path: '/v1/merchants/me' };
  },
  payment_not_found: async () => ({
    token: await beginSession(sql, await openOwner()),
    path: `/v1/merchants/me/payments/pay_${'0'.repeat(26)}`,
  }),
};

for (const [index, [code, make]] of Object.entries(refusedSessions).entries()) {
  t.test(`requests of a session that get ${code} use up no limit but its own`, async (t) => {
    const headers = { 'x-forwarded-for': `198.51.100.${20 + index}` };
    const { token, path } = await make();
    const ask = (authorization: string): Promise<ApiAnswer> =>
      openApi(gateways[0]?.baseUrl ?? '').call(path, { headers: { ...headers, authorization } });
    const codes: (string | undefined)[] = [];
    const beganMs = performance.now();
    for (let time = 0; time < 40; time += 1) {
      codes.push((await ask(`Bearer${' '.repeat(1 + (time % 3))}${token}`)).code);
    }
    t.same([...new Set(codes)], [code, 'rate_limited']);
    const within = codes.filter((each) => each === code).length;
    const most = BURST + countDrained(beganMs, PER_SECOND);
    t.ok(within >= BURST && within <= most, `${within} of at most ${most}`);
    for (let others = 0; others < 3; others += 1) {
      const other = await open(await openOwner());
      t.equal(
        (await other.call('/v1/merchants/me', { headers })).status,
        200,
        'of the same client',
      );
    }
  });
}

t.test('two gateways share the limit of a session', async (t) => {
  const [one, two] = gateways.map(({ baseUrl }) => baseUrl);
  // A gateway that counted alone would let in a whole burst before it refuses. On a slow machine requests drain meanwhile.
  const letIn = await waitUntil('the second gateway refuses what the first let in', async () => {
    const token = await beginSession(sql, await openOwner());
    const first = openApi(one ?? '', token);
    await countAnswered(2 * BURST, BURST, () => first.call('/v1/merchants/me'));
    const statuses: number[] = [];
    for (let times = 0; times < BURST; times += 1) {
      statuses.push((await openApi(two ?? '', token).call('/v1/merchants/me')).status);
    }
    return statuses.includes(429) ? statuses : null;
  });
  t.ok(letIn.filter((status) => status === 200).length < BURST, letIn.join());
});
