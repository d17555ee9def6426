// A failover that leaves the former master running: Sentinels lose sight of it, and its clients stay connected. No process
// that has found the new master reads the streams of the former one.
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { type Api, openApi } from '#test/support/api.js';
import { createTestMerchant, type RunningProcess, startProcess } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';
import { openRedis } from '#store/redis/client.js';
import { LEASE_MS } from '#test/support/stage.js';
import { startWatchedRedis } from '#test/support/engines/watched-redis.js';

/** The lease, the time until a contact counts as settled, and three times the 5 s of the contract. */
const HEALS_MS = 25_000;
const PROBES = 32;

async function startScene(t: Test) {
  const redis = await startWatchedRedis(t);
  const databaseUrl = await createDatabase(t);
  const merchant = await createTestMerchant(databaseUrl);
  const variables = { REDIS_URL: redis.url, DATABASE_URL: databaseUrl, LEASE_MS: String(LEASE_MS) };
  const start = (name: 'gateway' | 'payments', more: object = {}): Promise<RunningProcess> =>
    startProcess(t, name, { ...variables, ...more });
  const openAt = ({ baseUrl }: RunningProcess): Api => openApi(baseUrl, merchant.testKey);
  return { redis, start, openAt };
}

/** The statuses of creates on all partitions. */
async function probe(api: Api): Promise<readonly number[]> {
  const made = await Promise.all(
    Array.from({ length: PROBES }, () => api.create({ amount: '15000' })),
  );
  return made.map(({ status }) => status);
}

const answers = (what: string, api: Api, expected: number): Promise<unknown> =>
  waitUntil(what, async () => (await probe(api)).every((status) => status === expected), HEALS_MS);

t.test(
  'processes behind Sentinels leave a former master that keeps their connections',
  async (t) => {
    const { redis, start, openAt } = await startScene(t);
    const gateway = await start('gateway');
    const payments = await start('payments');
    await answers('creates are accepted', openAt(gateway), 201);
    const former = await redis.findMaster();
    await redis.hide(former);
    await start('payments');
    await answers('creates are accepted on all partitions again', openAt(gateway), 201);
    t.ok(payments.isRunning());
  },
);

t.test(
  'a process that stays on a former master gives its partitions and requests up',
  async (t) => {
    const { redis, start, openAt } = await startScene(t);
    const former = await redis.findMaster();
    const stays = { REDIS_URL: redis.urlOf(former) };
    const staying = await start('gateway', stays);
    await start('payments', stays);
    await answers('creates are accepted', openAt(staying), 201);
    await redis.hide(former);
    const gateway = await start('gateway');
    await start('payments');
    await answers('creates are accepted on all partitions', openAt(gateway), 201);
    await answers('the other gateway refuses creates', openAt(staying), 503);
  },
);

t.test('a connection that is closed while it asks a Sentinel opens again', async (t) => {
  const { url } = await startWatchedRedis(t);
  const redis = openRedis(url, () => {});
  t.teardown(() => {
    redis.disconnect();
  });
  await waitUntil('it is open', () => redis.status === 'ready', HEALS_MS);
  // As the failover detector does, when the news of a failover come late.
  const connector = Reflect.get(redis, 'connector') as { disconnect: () => void };
  redis.once('connecting', () => {
    connector.disconnect();
  });
  redis.disconnect(true);
  await waitUntil('it has ended', () => redis.status === 'end', HEALS_MS);
  await waitUntil('it is open again', () => redis.status === 'ready', HEALS_MS);
});
