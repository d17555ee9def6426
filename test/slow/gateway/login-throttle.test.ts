// Limits on guessed passwords, with gateways that share their counts in Redis.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import {
  beginSession,
  enrolSecondFactor,
  makeMerchant,
  makePerson,
  PASSWORD,
  startGateways,
} from '#test/support/accounts.js';
import { readMetrics, type RunningProcess } from '#test/support/processes.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';

/** An address has 36 attempts in a quarter of an hour. */
const REFILL_MS = (15 * 60_000) / (3 * 12);
const { sql, gateways } = await startGateways(t, 2, {
  RATE_LIMIT_LOGIN: '3',
  TRUSTED_PROXIES: '127.0.0.0/8',
});

function logIn(
  email: string,
  password: string,
  gateway = 0,
  client = '192.0.2.1',
): Promise<ApiAnswer> {
  const headers = { 'x-forwarded-for': client };
  const body = { email, password };
  return openApi(gateways[gateway]?.baseUrl ?? '').call('/v1/auth/login', {
    method: 'POST',
    body,
    headers,
  });
}

async function readLockouts(gateway: RunningProcess): Promise<number> {
  const page = await readMetrics(gateway);
  return Number(/^kasir_login_lockouts_total (\d+)$/m.exec(page)?.[1]);
}

t.test('failed logins count across gateways and successful ones do not', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const other = await makePerson(sql, 'owner', await makeMerchant(sql));
  for (let round = 0; round < 5; round += 1) {
    t.equal((await logIn(owner.email, PASSWORD)).status, 200, `login ${round}`);
  }
  for (const left of [2, 1, 0]) {
    const failed = await logIn(owner.email, 'not the password');
    t.equal(failed.code, 'login_failed');
    t.equal(failed.headers['ratelimit-limit'], '3');
    t.equal(failed.headers['ratelimit-remaining'], String(left));
  }
  const refused = await logIn(owner.email.toUpperCase(), PASSWORD);
  t.equal(refused.code, 'rate_limited', 'the right password helps no more');
  t.ok(Number(refused.headers['retry-after']) > 200, refused.headers['retry-after'] as string);
  t.equal((await logIn(other.email, PASSWORD)).status, 200, 'another account goes on');
  t.equal((await logIn(owner.email, PASSWORD, 0, '192.0.2.2')).status, 200, 'another address too');
  await waitUntil('the other gateway has heard', async () => {
    return (await logIn(owner.email, 'not the password', 1)).code === 'rate_limited';
  });
});

t.test('a locked account gets one mail within the hour, whatever gateway locks it', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const mails = async (): Promise<number> => {
    const rows = await sql`
      select 1 from mails where recipient = ${owner.email} and subject like '%upaya masuk%'`;
    return rows.length;
  };
  const failOften = async (gateway: number, client: string): Promise<void> => {
    await waitUntil('the account is locked', async () => {
      return (
        (await logIn(owner.email, 'not the password', gateway, client)).code === 'rate_limited'
      );
    });
  };
  t.equal((await logIn(owner.email, 'not the password', 0, '192.0.2.9')).code, 'login_failed');
  t.equal(await mails(), 0, 'a single failure is no lock');
  await failOften(0, '192.0.2.9');
  await waitUntil('the mail is written', async () => (await mails()) === 1);
  await failOften(1, '192.0.2.10');
  const counts = await Promise.all(gateways.map(readLockouts));
  t.ok(
    counts.every((count) => count > 0),
    'both gateways counted the lock',
  );
  t.equal(await mails(), 1);
});

/** One address tries one account after the other until it is limited. Returns how often it failed, and the refills meanwhile. */
async function failUntilLimited(client: string): Promise<{ failed: number; refilled: number }> {
  const beganMs = performance.now();
  for (let failed = 0; ; failed += 1) {
    const { code } = await logIn(`nobody${failed}@example.com`, 'x', failed % 2, client);
    if (code === 'login_failed') continue;
    if (code !== 'rate_limited') throw new Error(`unexpected code ${String(code)}`);
    return { failed, refilled: Math.ceil((performance.now() - beganMs) / REFILL_MS) };
  }
}

t.test('an address that tries many accounts locks none of them', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  await failUntilLimited('192.0.2.11');
  const [before] = await Promise.all(gateways.map(readLockouts));
  t.equal((await logIn(owner.email, 'x', 0, '192.0.2.11')).code, 'rate_limited');
  t.equal((await logIn(owner.email, PASSWORD)).status, 200);
  t.equal((await Promise.all(gateways.map(readLockouts)))[0], before);
});

t.test('an address that tries many accounts is limited', async (t) => {
  const { failed, refilled } = await failUntilLimited('192.0.2.3');
  t.ok(failed >= 3 * 12 && failed <= 3 * 12 + refilled, `${failed}, ${refilled} refilled`);
});

t.test('a client that requests many resets keeps no other account from its own', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const reset = (email: string, client: string): Promise<ApiAnswer> =>
    openApi(gateways[0]?.baseUrl ?? '').call('/v1/auth/password-reset', {
      method: 'POST',
      body: { email },
      headers: { 'x-forwarded-for': client },
    });
  const answers: ApiAnswer[] = [];
  for (let index = 0; index < 2 * 3 * 12; index += 1) {
    answers.push(await reset(`somebody${index}@example.com`, `192.0.2.${index % 2 === 0 ? 4 : 5}`));
  }
  t.equal(answers.filter(({ status }) => status === 204).length, 2 * 3 * 12);
  t.equal((await reset('somebody@example.com', '192.0.2.4')).code, 'rate_limited', 'by client');
  const countMails = async (): Promise<number> =>
    (await sql`select 1 from mails where recipient = ${owner.email}`).length;
  for (let round = 0; round < 6; round += 1) await reset(owner.email, '198.51.100.1');
  await waitUntil('a client got its mails', async () => (await countMails()) === 3);
  t.equal((await reset(owner.email, '198.51.100.2')).status, 204);
  await waitUntil('another client too', async () => (await countMails()) > 3);
  t.equal(await countMails(), 4);
});

t.test('a session can step up after failed logins from its address', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const session = openApi(gateways[0]?.baseUrl ?? '', await beginSession(sql, owner));
  const headers = { 'x-forwarded-for': '192.0.2.21' };
  const prove = (password: string): Promise<ApiAnswer> =>
    session.call('/v1/auth/totp', {
      ...{ method: 'POST', headers, body: { current_password: password } },
    });
  const logInThere = (): Promise<ApiAnswer> => logIn(owner.email, 'wrong', 0, '192.0.2.21');
  for (let round = 0; round < 3; round += 1) t.equal((await logInThere()).status, 401);
  t.equal((await logInThere()).code, 'rate_limited');
  t.equal((await prove(PASSWORD)).status, 201);
  for (let round = 0; round < 3; round += 1) t.equal((await prove('wrong')).status, 400);
  t.equal((await prove(PASSWORD)).code, 'rate_limited', 'guesses in a session are limited too');
});

t.test('first steps with the right password do not lock a second factor out', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const session = openApi(gateways[0]?.baseUrl ?? '', await beginSession(sql, owner));
  const makeCode = await enrolSecondFactor(sql, session, owner.userId);
  for (let round = 0; round < 5; round += 1) {
    const first = await logIn(owner.email, PASSWORD, 0, '192.0.2.6');
    t.same(
      [first.code, (first.body['error'] as { param: string }).param],
      ['login_failed', 'totp_code'],
    );
  }
  const step = { email: owner.email, password: PASSWORD, totp_code: await makeCode() };
  const headers = { 'x-forwarded-for': '192.0.2.6' };
  const login = { method: 'POST', body: step, headers } as const;
  t.equal((await openApi(gateways[0]?.baseUrl ?? '').call('/v1/auth/login', login)).status, 200);
});

t.test('a flood of right logins from one network lets another address log in', async (t) => {
  const victim = await makePerson(sql, 'owner', await makeMerchant(sql));
  const merchantId = await makeMerchant(sql);
  const people = await Promise.all(
    Array.from({ length: 34 }, () => makePerson(sql, 'viewer', merchantId)),
  );
  // Half of them from one /64, and each of the others from another /64 of the same /48.
  const flood = people.map(({ email }, index) =>
    logIn(email, PASSWORD, 0, `2001:db8:7:${Math.max(0, index - 17)}::1`),
  );
  let answered = 0;
  for (const login of flood) void login.then(({ status }) => (answered += status === 200 ? 1 : 0));
  await waitUntil('the flood is being answered', () => answered > 0);
  const before = answered;
  const login = await logIn(victim.email, PASSWORD, 0, '192.0.2.8');
  t.equal(login.status, 200);
  t.ok(answered - before < 8, `${answered - before} of the flood were answered before`);
  const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
  t.same([...statuses].sort(), [200, 429]);
});
