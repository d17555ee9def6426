// Rate limits over HTTP, with two gateways and one Redis.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import {
  createTestMerchant,
  readMetrics,
  startProcess,
  startService,
  uniqueWord,
} from '#test/support/processes.js';

const KEY_PER_SECOND = 2;
const BURST = 2 * KEY_PER_SECOND;
const SANDBOX_PER_MINUTE = 6;

const service = await startService(t, {
  gateways: 2,
  variables: {
    RATE_LIMIT_KEY: String(KEY_PER_SECOND),
    RATE_LIMIT_SANDBOX: String(SANDBOX_PER_MINUTE),
    RATE_LIMIT_CHECKOUT: '3',
  },
});

/** Sends all requests at once. `drained`: how many of them may have drained before the last one came. */
async function burst(count: number, call: () => Promise<ApiAnswer>, perSecond = KEY_PER_SECOND) {
  const beganMs = performance.now();
  const answers = await Promise.all(Array.from({ length: count }, call));
  const drained = Math.ceil(((performance.now() - beganMs) / 1000) * perSecond);
  return { answers, drained };
}

const listMethods = (api: Api) => () => api.call('/v1/payment-methods');
const countStatus = (answers: readonly ApiAnswer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

t.test(
  'a key gets a burst of twice its rate, then 429, with limit headers on each answer',
  async (t) => {
    const merchant = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
    const api = openApi(service.baseUrl, merchant.testKey);
    const { answers, drained } = await burst(12, listMethods(api));
    const accepted = countStatus(answers, 200);
    t.ok(accepted >= 4 && accepted <= 4 + drained, `${accepted}, ${drained} have drained`);
    t.equal(countStatus(answers, 429), 12 - accepted);
    for (const { status, code, headers } of answers) {
      t.equal(headers['ratelimit-limit'], '4');
      t.match(headers['ratelimit-remaining'], /^[0-3]$/);
      t.match(headers['ratelimit-reset'], /^[12]$/);
      t.equal(headers['retry-after'], status === 429 ? '1' : undefined);
      if (status === 429) t.equal(code, 'rate_limited');
    }
    t.ok(answers.some(({ headers }) => headers['ratelimit-remaining'] === '3'));
    const live = await openApi(service.baseUrl, merchant.liveKey).call('/v1/payment-methods');
    t.strictSame(
      [live.status, live.headers['ratelimit-remaining']],
      [200, '3'],
      'LIVE has its own',
    );
    const other = await createTestMerchant(service.databaseUrl);
    const theirs = await openApi(service.baseUrl, other.testKey).call('/v1/payment-methods');
    t.equal(theirs.headers['ratelimit-remaining'], '3', 'and every merchant');
  },
);

t.test('a rate-limited create does not use up its idempotency key', async (t) => {
  const { testKey } = await createTestMerchant(service.databaseUrl);
  const api = openApi(service.baseUrl, testKey);
  const key = await waitUntil('a create is refused', async () => {
    await burst(10, listMethods(api));
    const tried = uniqueWord();
    const { status, code } = await api.create({ amount: '1000' }, tried);
    if (status !== 429) return null;
    t.equal(code, 'rate_limited');
    return tried;
  });
  const created = await waitUntil('requests have drained', async () => {
    const answer = await api.create({ amount: '2000' }, key);
    return answer.status === 429 ? null : answer;
  });
  t.equal(created.status, 201, 'with another body');
});

t.test('other errors have the limit headers too, except for an unknown key', async (t) => {
  const { testKey } = await createTestMerchant(service.databaseUrl);
  const api = openApi(service.baseUrl, testKey);
  const broken = await api.create({ amount: 'x' });
  t.strictSame([broken.status, broken.headers['ratelimit-remaining']], [400, '3']);
  await waitUntil('an answer shows that the one before it counts', async () => {
    await api.create({ amount: 'x' });
    const unknown = await api.get('pay_00000000000000000000000000');
    return unknown.status === 404 && Number(unknown.headers['ratelimit-remaining']) < 3;
  });
  const none = await openApi(service.baseUrl).call('/v1/payments');
  t.strictSame([none.status, none.headers['ratelimit-limit']], [401, undefined]);
});

t.test('two gateways share the limit of a key', async (t) => {
  const [one, two] = service.gateways.map(({ baseUrl }) => baseUrl);
  // A gateway that counted alone would let in a whole burst before it refuses. On a slow machine requests drain meanwhile.
  const letIn = await waitUntil('the second gateway refuses what the first let in', async () => {
    const { testKey } = await createTestMerchant(service.databaseUrl);
    await burst(2 * BURST, listMethods(openApi(one ?? '', testKey)));
    const statuses: number[] = [];
    for (let times = 0; times < BURST; times += 1) {
      statuses.push((await openApi(two ?? '', testKey).call('/v1/payment-methods')).status);
    }
    return statuses.includes(429) ? statuses : null;
  });
  t.ok(letIn.filter((status) => status === 200).length < BURST, letIn.join());
});

t.test('the sandbox is limited by client address', async (t) => {
  const anonymous = openApi(service.baseUrl);
  const path = '/v1/sandbox/payments/pay_00000000000000000000000000';
  const ask = () => anonymous.call(path);
  const { answers, drained } = await burst(8, ask, SANDBOX_PER_MINUTE / 60);
  const accepted = countStatus(answers, 404);
  t.ok(accepted >= 6 && accepted <= 6 + drained, `${accepted}, ${drained} have drained`);
  const refused = answers.find(({ status }) => status === 429);
  t.match(refused?.headers, { 'ratelimit-limit': '6', 'ratelimit-remaining': '0' });
  t.ok(
    Number(refused?.headers['retry-after']) > 0 && Number(refused?.headers['retry-after']) <= 10,
  );
  const health = await anonymous.call('/healthz');
  t.strictSame([health.status, health.headers['ratelimit-limit']], [200, undefined]);
});

t.test(
  'a rate-limited checkout shows a page to browsers and an error body to programs',
  async (t) => {
    const { testKey } = await createTestMerchant(service.databaseUrl);
    const created = await openApi(service.baseUrl, testKey).create({ amount: '1000' });
    const path = `/checkout/${String(created.body['id'])}`;
    const ask = (accept: string, at = path) =>
      fetch(`${service.baseUrl}${at}`, { headers: { accept, 'accept-language': 'en' } });
    const statuses: number[] = [];
    for (let times = 0; times < 3; times += 1) statuses.push((await ask('text/html')).status);
    t.strictSame(statuses, [200, 200, 200]);
    for (const at of [path, `${path}/method`]) {
      const refused = await ask('text/html,application/xhtml+xml', at);
      t.equal(refused.status, 429);
      t.equal(refused.headers.get('content-type'), 'text/html; charset=utf-8');
      t.match(refused.headers.get('content-security-policy'), /default-src 'self'/);
      t.ok(Number(refused.headers.get('retry-after')) > 0);
      t.strictSame(
        ['limit', 'remaining'].map((name) => refused.headers.get(`ratelimit-${name}`)),
        ['3', '0'],
      );
      t.match(await refused.text(), /Too many requests/);
    }
    for (const at of [path, `${path}/status`]) {
      const refused = await ask('application/json', at);
      t.match(await refused.json(), { error: { code: 'rate_limited' } });
    }
  },
);

t.test('behind a trusted proxy the forwarded client is counted, else the connection', async (t) => {
  const path = '/v1/sandbox/payments/pay_00000000000000000000000000';
  const start = async (trusted: string): Promise<(forwardedFor: string) => Promise<string>> => {
    const variables = { ...service.variables, TRUSTED_PROXIES: trusted };
    const gateway = await startProcess(t, 'gateway', variables);
    return async (forwardedFor) => {
      const headers = { 'x-forwarded-for': forwardedFor };
      const answer = await fetch(`${gateway.baseUrl}${path}`, { headers });
      return answer.headers.get('ratelimit-remaining') ?? '';
    };
  };
  const trusting = await start('127.0.0.0/8,10.0.0.0/8');
  t.equal(await trusting('198.51.100.1'), '5');
  t.equal(await trusting('198.51.100.1, 10.0.0.7'), '4', 'through two proxies');
  t.equal(await trusting('198.51.100.2'), '5', 'another client');
  t.equal(await trusting('203.0.113.9, 198.51.100.2'), '4', 'what the client itself wrote');
  t.equal(await trusting('2001:db8:1:2::1'), '5');
  t.equal(await trusting('2001:db8:1:2:ffff::1'), '4', 'the same network');
  const wary = await start('10.0.0.0/8');
  let last = '';
  for (let client = 1; client <= 8; client += 1) last = await wary(`198.51.100.${client}`);
  t.equal(last, '0', 'they all count as the one that connects');
});

t.test(
  'X-Forwarded-For of an address that is not trusted is logged once and counted',
  async (t) => {
    const variables = { ...service.variables, TRUSTED_PROXIES: '10.0.0.0/8' };
    const gateway = await startProcess(t, 'gateway', variables);
    const path = `${gateway.baseUrl}/v1/sandbox/payments/pay_00000000000000000000000000`;
    const countIgnored = async (): Promise<number> => {
      const page = await readMetrics(gateway);
      return Number(/^kasir_gateway_forwards_ignored_total (\d+)$/m.exec(page)?.[1]);
    };
    await fetch(path);
    t.equal(await countIgnored(), 0);
    for (let client = 1; client <= 3; client += 1) {
      await fetch(path, { headers: { 'x-forwarded-for': `198.51.100.${client}` } });
    }
    t.equal(await countIgnored(), 3);
    const lines = await waitUntil('the warning is written', () => {
      const found = gateway.logs().filter(({ msg }) => String(msg).includes('TRUSTED_PROXIES'));
      return found.length > 0 ? found : null;
    });
    t.match(lines, [{ address: '127.0.0.1', level: 'warn' }]);
    t.equal(lines.length, 1);
  },
);

t.test('a rate of 0 switches a limit off', async (t) => {
  const variables = { ...service.variables, RATE_LIMIT_KEY: '0', RATE_LIMIT_SANDBOX: '0' };
  const gateway = await startProcess(t, 'gateway', variables);
  const api = openApi(gateway.baseUrl, service.merchant.testKey);
  const { answers } = await burst(30, listMethods(api));
  t.equal(countStatus(answers, 200), 30);
  t.equal(answers[0]?.headers['ratelimit-limit'], undefined);
});
