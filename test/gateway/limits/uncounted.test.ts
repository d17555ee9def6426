// Counting that fails lets no login and no guess pass. A failure in the gateway is answered 500. Redis that refuses to count
// leaves the gateway with its own counts, and is logged and counted.
import { Redis } from 'ioredis';
import t, { type Test } from 'tap';
import type { SessionId, UserId } from '#actors/core/ids.js';
import { createLimit } from '#gateway/limits/limits.js';
import { createLoginThrottle } from '#gateway/limits/login-throttle.js';
import type { Session } from '#gateway/routing/request.js';
import { buildApiError } from '#gateway/routing/response.js';
import { defineOpenRoute, type Route } from '#gateway/routing/route.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { type BucketLevel, type BucketRule, Buckets } from '#store/redis/limits/buckets.js';
import { buildLimitKey } from '#store/redis/keys.js';
import { openApi } from '#test/support/api.js';
import { startTarget } from '#test/support/http/target.js';
import { readMetrics, startProcess } from '#test/support/processes.js';
import { createDatabase, startRedis } from '#test/support/servers.js';

const PER_QUARTER_HOUR = 5;
const EMAIL = 'owner@example.com';
const NUMBERS = {
  ...{ keyPerSecond: 10, sessionPerSecond: 10, sandboxPerMinute: 10, checkoutPerMinute: 10 },
  loginPerQuarterHour: PER_QUARTER_HOUR,
  publicMsPerSecond: 50,
};
const NOT_FOUND = buildApiError('payment_not_found');

const redis = await startRedis(t);
const databaseUrl = await createDatabase(t);
const operator = new Redis(redis.url);
t.teardown(() => operator.disconnect());

/** Buckets with a bug. */
class BrokenBuckets extends Buckets {
  isBroken = false;

  override take(name: string, rule: BucketRule): BucketLevel {
    if (this.isBroken) throw new TypeError('the count is broken');
    return super.take(name, rule);
  }
}

function openBuckets(t: Test): BrokenBuckets {
  const buckets = new BrokenBuckets({
    count: () => Promise.reject(new Error('each process counts for itself')),
    monotonicMs: () => performance.now(),
  });
  t.teardown(() => buckets.stop());
  return buckets;
}

t.test('a request whose limit cannot be counted is answered 500, and not handled', async (t) => {
  const buckets = openBuckets(t);
  let handled = 0;
  const buildRoute = (limit: Route['limit'] & string): Route =>
    defineOpenRoute({
      ...{ method: 'GET', path: `/${limit}`, cpuUs: 100, summary: limit, answers: {}, limit },
      handle: () => {
        handled += 1;
        return NOT_FOUND;
      },
    });
  const target = await startTarget({
    routes: [buildRoute('sandbox'), buildRoute('checkout'), buildRoute('auth')],
    options: { limit: createLimit(NUMBERS, buckets) },
  });
  t.teardown(() => target.server.stop(0));
  const headers = { authorization: `Bearer ${target.key}` };
  const ask = async (path: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${target.port}${path}`, { headers })).status;
  buckets.isBroken = true;
  for (const path of ['/sandbox', '/checkout', '/auth']) t.equal(await ask(path), 500, path);
  t.equal(handled, 0);
  t.equal(target.failures.length, 3, 'each is logged');
  buckets.isBroken = false;
  for (const path of ['/sandbox', '/checkout', '/auth']) t.equal(await ask(path), 404, path);
});

t.test('a guess of a page or a session that cannot be counted is answered 500', async (t) => {
  const buckets = openBuckets(t);
  const guess = (): typeof NOT_FOUND => {
    buckets.isBroken = true;
    return NOT_FOUND;
  };
  const session: Route = {
    ...{ method: 'GET', path: '/session', summary: 'session', answers: {}, params: {} },
    ...{ auth: 'session', scopes: [], isIdempotent: false, query: undefined, body: undefined },
    handle: guess,
  };
  const page = { method: 'GET', path: '/page', cpuUs: 100, summary: 'page', answers: {} } as const;
  const target = await startTarget({
    routes: [session, defineOpenRoute({ ...page, limit: 'checkout', handle: guess })],
    options: {
      limit: createLimit(NUMBERS, buckets),
      checkSession: () => {
        guess();
        return Promise.resolve(buildApiError('credential_invalid'));
      },
    },
  });
  t.teardown(() => target.server.stop(0));
  for (const path of ['/page', '/session']) {
    buckets.isBroken = false;
    const headers = { authorization: 'Bearer cs_guess' };
    const answer = await fetch(`http://127.0.0.1:${target.port}${path}`, { headers });
    t.equal(answer.status, 500, path);
    t.match(await answer.json(), { error: { code: 'internal_error' } });
    t.match(target.failures.at(-1), { err: { message: 'the count is broken' } }, 'it is logged');
  }
  t.equal(target.server.inFlight, 0);
});

t.test('a login, a proof and a mailed link that cannot be counted are no attempts', (t) => {
  const buckets = openBuckets(t);
  const throttle = createLoginThrottle(PER_QUARTER_HOUR, buckets, () => undefined);
  const session: Session = {
    ...{ id: 'ses_1' as SessionId, userId: 'usr_1' as UserId, email: EMAIL, role: 'admin' },
    ...{ merchantId: null, isVerified: true, hasSecondFactor: true, mustEnrol: false },
    isByCookie: false,
  };
  buckets.isBroken = true;
  t.throws(() => throttle.take(EMAIL, '192.0.2.1'), /the count is broken/);
  t.throws(() => throttle.takeInSession(session, '192.0.2.1'), /the count is broken/);
  t.throws(() => throttle.takeReset(EMAIL, '192.0.2.1'), /the count is broken/);
  t.throws(() => throttle.takeVerification(EMAIL, '192.0.2.1'), /the count is broken/);
  t.end();
});

const ADDRESS_KEY = buildLimitKey('login-from:127.0.0.1');

const REFUSALS = {
  'a user without the right': {
    begin: () => operator.call('ACL', 'SETUSER', 'default', '-eval', '-evalsha'),
    end: () => operator.call('ACL', 'SETUSER', 'default', '+eval', '+evalsha'),
  },
  'a key of another type': {
    begin: () => operator.call('LPUSH', ADDRESS_KEY, 'x'),
    end: () => operator.call('DEL', ADDRESS_KEY),
  },
  'a key that holds no number': {
    begin: () => operator.call('SET', ADDRESS_KEY, 'x'),
    end: () => operator.call('DEL', ADDRESS_KEY),
  },
};

for (const [what, { begin, end }] of Object.entries(REFUSALS)) {
  t.test(
    `logins that Redis does not count, for ${what}, stay limited and are noticed`,
    async (t) => {
      const gateway = await startProcess(t, 'gateway', {
        ...{ REDIS_URL: redis.url, DATABASE_URL: databaseUrl },
        RATE_LIMIT_LOGIN: String(PER_QUARTER_HOUR),
      });
      const api = openApi(gateway.baseUrl);
      const logIn = async (): Promise<number> => {
        const body = { email: `${what.replaceAll(' ', '-')}@example.com`, password: 'a wrong one' };
        return (await api.call('/v1/auth/login', { method: 'POST', body })).status;
      };
      await begin();
      const statuses: number[] = [];
      for (let time = 0; time <= PER_QUARTER_HOUR; time += 1) statuses.push(await logIn());
      t.same(statuses, [401, 401, 401, 401, 401, 429]);
      const isWarned = (): boolean =>
        gateway.logs().some(({ msg }) => String(msg).startsWith('Redis did not count'));
      await waitUntil('it is logged', isWarned);
      t.match(await readMetrics(gateway), /^kasir_rate_limit_failures_total [1-9]/m);
      await end();
      await waitUntil('the end is logged', async () => {
        await logIn();
        await api.call('/v1/auth/verify/resend', { method: 'POST', body: { email: EMAIL } });
        return gateway.logs().some(({ msg }) => String(msg).startsWith('Redis counts'));
      });
    },
  );
}
