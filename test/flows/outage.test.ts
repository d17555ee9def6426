// Redis or Postgres away: the gateway says so within milliseconds, takes nothing that it cannot carry out,
// and serves again by itself.
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { Api } from '../support/api.js';
import { uniqueWord } from '../support/processes.js';
import { startPostgres } from '../support/servers.js';
import { startServingService } from '../support/serving.js';

const BODY = { amount: '150000', currency: 'IDR' };
/** "Within milliseconds", on a machine that may be busy: far below any time-out of ours. */
const PROMPT_MS = 300;

const postgres = await startPostgres(t);
const databaseUrl = await postgres.createDatabase('kasir');
const service = await startServingService(t, { databaseUrl, variables: { LEASE_MS: '1500' } });
const { api } = service;

async function refusesWithout(t: Test, missing: string, api: Api): Promise<void> {
  await waitUntil(`it is noticed that ${missing} is away`, 10_000, async () => {
    return (await api.call('/readyz')).status === 503;
  });
  const ready = await api.call('/readyz');
  t.match(ready.text, new RegExp(missing, 'i'), 'the part is named');
  t.equal((await api.call('/healthz')).status, 200, 'alive');
  for (let times = 0; times < 5; times += 1) {
    const refused = await api.create(BODY, uniqueWord());
    t.strictSame([refused.status, refused.code], [503, 'dependency_unavailable']);
    t.match(refused.headers['retry-after'], /^\d+$/);
    t.ok(refused.elapsedMs < PROMPT_MS, `in ${refused.elapsedMs.toFixed(0)} ms`);
  }
}

async function servesAgain(t: Test, api: Api): Promise<void> {
  await waitUntil('it is ready', 15_000, async () => (await api.call('/readyz')).status === 200);
  const key = uniqueWord();
  await waitUntil('it creates', 15_000, async () => (await api.create(BODY, key)).status < 300);
  t.equal((await api.create(BODY, key)).status, 200);
}

t.test('a service that is well', async (t) => {
  t.equal((await api.call('/healthz')).status, 200);
  await servesAgain(t, api);
});

t.test('without Redis', async (t) => {
  const key = uniqueWord();
  const before = await api.create(BODY, key);
  await service.redis.kill();
  await refusesWithout(t, 'redis', api);
  t.equal((await api.get(before.body['id'])).text, before.text, 'reading goes on');
  await service.redis.restart();
  await servesAgain(t, api);
  t.equal((await api.create(BODY, key)).text, before.text);
});

t.test('without Redis that answers', async (t) => {
  service.redis.pause();
  await refusesWithout(t, 'redis', api);
  service.redis.resume();
  await servesAgain(t, api);
});

t.test('without Postgres', async (t) => {
  const key = uniqueWord();
  const before = await api.create(BODY, key);
  await postgres.stop();
  await refusesWithout(t, 'postgres', api);
  const read = await api.get(before.body['id']);
  t.equal(read.status, 503);
  await postgres.start();
  await servesAgain(t, api);
  t.equal((await api.get(before.body['id'])).text, before.text);
  t.equal((await api.create(BODY, key)).text, before.text);
});

t.test(
  'without any payments process: unknown, never failed, and the key finds it later',
  async (t) => {
    const [process] = service.payments;
    await process?.stop();
    const key = uniqueWord();
    const answer = await api.create(BODY, key);
    t.strictSame([answer.status, answer.code], [504, 'outcome_unknown']);
    const error = answer.body['error'] as { payment_id?: string };
    t.match(error.payment_id, /^pay_/, 'it names the payment');
    await process?.start();
    await waitUntil('the command takes effect', 10_000, async () => {
      return (await api.get(error.payment_id)).status === 200;
    });
    const repeated = await api.create(BODY, key);
    t.match(repeated, { status: 200, body: { id: error.payment_id } });
  },
);
