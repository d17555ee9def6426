// Redis or Postgres is away: the gateway answers 503 within milliseconds, accepts nothing, and recovers by itself.
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { Api } from '#test/support/api.js';
import { uniqueWord } from '#test/support/processes.js';
import { startPostgres } from '#test/support/servers.js';
import { startServingService } from '#test/support/serving.js';

const BODY = { amount: '150000', currency: 'IDR' };
/** "Within milliseconds" on a busy machine: far below each time-out of the gateway. */
const PROMPT_MS = 300;

const postgres = await startPostgres(t);
const databaseUrl = await postgres.createDatabase('kasir');
const service = await startServingService(t, { databaseUrl, variables: { LEASE_MS: '1500' } });
const { api } = service;

async function checkUnavailable(t: Test, missing: string, api: Api): Promise<void> {
  await waitUntil(`the gateway notices that ${missing} is away`, async () => {
    return (await api.call('/readyz')).status === 503;
  });
  const ready = await api.call('/readyz');
  t.match(ready.text, new RegExp(missing, 'i'), 'the dependency is named');
  t.equal((await api.call('/healthz')).status, 200, 'alive');
  for (let times = 0; times < 5; times += 1) {
    const refused = await api.create(BODY, uniqueWord());
    t.strictSame([refused.status, refused.code], [503, 'dependency_unavailable']);
    t.match(refused.headers['retry-after'], /^\d+$/);
    t.ok(refused.elapsedMs < PROMPT_MS, `in ${refused.elapsedMs.toFixed(0)} ms`);
  }
}

async function checkServing(t: Test, api: Api): Promise<void> {
  await waitUntil('it is ready', async () => (await api.call('/readyz')).status === 200);
  const key = uniqueWord();
  await waitUntil('it creates', async () => (await api.create(BODY, key)).status < 300);
  t.equal((await api.create(BODY, key)).status, 200);
}

t.test('with all dependencies the service serves', async (t) => {
  t.equal((await api.call('/healthz')).status, 200);
  await checkServing(t, api);
});

t.test('without Redis creates answer 503, reads go on, and it recovers', async (t) => {
  const key = uniqueWord();
  const before = await api.create(BODY, key);
  await service.redis.kill();
  await checkUnavailable(t, 'redis', api);
  t.equal((await api.get(before.body['id'])).text, before.text, 'reads go on');
  await service.redis.restart();
  await checkServing(t, api);
  t.equal((await api.create(BODY, key)).text, before.text);
});

t.test('with a hanging Redis creates answer 503 and it recovers', async (t) => {
  service.redis.pause();
  await checkUnavailable(t, 'redis', api);
  service.redis.resume();
  await checkServing(t, api);
});

t.test('without Postgres all requests answer 503 and it recovers', async (t) => {
  const key = uniqueWord();
  const before = await api.create(BODY, key);
  await postgres.stop();
  await checkUnavailable(t, 'postgres', api);
  const read = await api.get(before.body['id']);
  t.equal(read.status, 503);
  await postgres.start();
  await checkServing(t, api);
  t.equal((await api.get(before.body['id'])).text, before.text);
  t.equal((await api.create(BODY, key)).text, before.text);
});

t.test('without a payments process a create answers 504 and its key finds it later', async (t) => {
  const [process] = service.payments;
  await process?.stop();
  const key = uniqueWord();
  const answer = await api.create(BODY, key);
  t.strictSame([answer.status, answer.code], [504, 'outcome_unknown']);
  const error = answer.body['error'] as { payment_id?: string };
  t.match(error.payment_id, /^pay_/, 'it names the payment');
  await process?.start();
  await waitUntil('the command takes effect', async () => {
    return (await api.get(error.payment_id)).status === 200;
  });
  const repeated = await api.create(BODY, key);
  t.match(repeated, { status: 200, body: { id: error.payment_id } });
});
