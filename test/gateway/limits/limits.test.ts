// Rate limits by HTTP, over two gateways and their Redis.
import t from 'tap';
import { type Api, type ApiAnswer, openApi } from '../../support/api.js';
import { createTestMerchant, startProcess, startService } from '../../support/processes.js';

const service = await startService(t, {
  gateways: 2,
  variables: { RATE_LIMIT_KEY: '2', RATE_LIMIT_SANDBOX: '6' },
});
const [first, second] = service.gateways;

/** So that requests fall into one second, and none has run off in between. */
async function burst(count: number, call: () => Promise<ApiAnswer>): Promise<ApiAnswer[]> {
  return Promise.all(Array.from({ length: count }, call));
}

const listMethods = (api: Api) => () => api.call('/v1/payment-methods');
const countOf = (answers: readonly ApiAnswer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

t.test('a key: a burst of twice its rate, then 429, with headers on every answer', async (t) => {
  const merchant = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
  const api = openApi(service.baseUrl, merchant.testKey);
  const answers = await burst(12, listMethods(api));
  t.ok(
    countOf(answers, 200) >= 4 && countOf(answers, 200) <= 6,
    'what a busy machine lets run off',
  );
  t.equal(countOf(answers, 429), 12 - countOf(answers, 200));
  for (const { status, code, headers } of answers) {
    t.equal(headers['ratelimit-limit'], '4');
    t.match(headers['ratelimit-remaining'], /^[0-3]$/);
    t.match(headers['ratelimit-reset'], /^[12]$/);
    t.equal(headers['retry-after'], status === 429 ? '1' : undefined);
    if (status === 429) t.equal(code, 'rate_limited');
  }
  t.ok(answers.some(({ headers }) => headers['ratelimit-remaining'] === '3'));
  const live = await openApi(service.baseUrl, merchant.liveKey).call('/v1/payment-methods');
  t.strictSame([live.status, live.headers['ratelimit-remaining']], [200, '3'], 'LIVE has its own');
  const other = await createTestMerchant(service.databaseUrl);
  const theirs = await openApi(service.baseUrl, other.testKey).call('/v1/payment-methods');
  t.equal(theirs.headers['ratelimit-remaining'], '3', 'and every merchant');
});

t.test('a refused create does not use its idempotency key up', async (t) => {
  const { testKey } = await createTestMerchant(service.databaseUrl);
  const api = openApi(service.baseUrl, testKey);
  await burst(10, listMethods(api));
  const refused = await api.create({ amount: '1000' }, 'limited');
  t.strictSame([refused.status, refused.code], [429, 'rate_limited']);
  const wait = Number(refused.headers['retry-after']) * 1000;
  await new Promise((resolve) => setTimeout(resolve, wait));
  const created = await api.create({ amount: '2000' }, 'limited');
  t.equal(created.status, 201, 'after Retry-After, with another body');
});

t.test('other errors carry the headers too; a wrong key is counted for nobody', async (t) => {
  const { testKey } = await createTestMerchant(service.databaseUrl);
  const api = openApi(service.baseUrl, testKey);
  const broken = await api.create({ amount: 'x' });
  t.strictSame([broken.status, broken.headers['ratelimit-remaining']], [400, '3']);
  const unknown = await api.get('pay_00000000000000000000000000');
  t.strictSame([unknown.status, unknown.headers['ratelimit-remaining']], [404, '2']);
  const none = await openApi(service.baseUrl).call('/v1/payments');
  t.strictSame([none.status, none.headers['ratelimit-limit']], [401, undefined]);
});

t.test('two gateways count together', async (t) => {
  const { testKey } = await createTestMerchant(service.databaseUrl);
  const one = openApi(first?.baseUrl ?? '', testKey);
  const two = openApi(second?.baseUrl ?? '', testKey);
  // What each lets in before it has heard of the other has to run off before either lets in more.
  let accepted = 0;
  const began = performance.now();
  while (performance.now() - began < 3_000) {
    const answers = [await one.call('/v1/payment-methods'), await two.call('/v1/payment-methods')];
    accepted += countOf(answers, 200);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const seconds = (performance.now() - began) / 1000;
  t.ok(accepted >= 4 && accepted <= 4 + 2 * seconds + 2, `${accepted} within ${seconds} s`);
});

t.test('the sandbox: by client address', async (t) => {
  const nobody = openApi(service.baseUrl);
  const path = '/v1/sandbox/payments/pay_00000000000000000000000000';
  const answers = await burst(8, () => nobody.call(path));
  t.ok(countOf(answers, 404) >= 6 && countOf(answers, 404) <= 7);
  const refused = answers.find(({ status }) => status === 429);
  t.match(refused?.headers, { 'ratelimit-limit': '6', 'ratelimit-remaining': '0' });
  t.ok(
    Number(refused?.headers['retry-after']) > 0 && Number(refused?.headers['retry-after']) <= 10,
  );
  const health = await nobody.call('/healthz');
  t.strictSame([health.status, health.headers['ratelimit-limit']], [200, undefined]);
});

t.test('without Redis each gateway goes on counting', async (t) => {
  const { testKey } = await createTestMerchant(service.databaseUrl);
  await service.redis.stop();
  const answers = await burst(12, listMethods(openApi(service.baseUrl, testKey)));
  await service.redis.start();
  t.ok(countOf(answers, 200) >= 4 && countOf(answers, 429) >= 6);
  t.equal(countOf(answers, 200) + countOf(answers, 429), 12);
});

t.test('0 switches a limit off', async (t) => {
  const variables = { ...service.variables, RATE_LIMIT_KEY: '0', RATE_LIMIT_SANDBOX: '0' };
  const gateway = await startProcess(t, 'gateway', variables);
  const api = openApi(gateway.baseUrl, service.merchant.testKey);
  const answers = await burst(30, listMethods(api));
  t.equal(countOf(answers, 200), 30);
  t.equal(answers[0]?.headers['ratelimit-limit'], undefined);
});
