// Webhooks on a Redis Cluster: the slot of a partition of deliveries moves while half of its keys are there, and a master
// dies. Each webhook arrives, without a restart.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { buildReadyKey } from '#store/redis/keys.js';
import { findDeliveryPartition } from '#store/redis/webhooks/delivery-partitions.js';
import { openApi } from '#test/support/api.js';
import { createTestMerchant, startProcess } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';
import { addEndpoint } from '#test/support/webhooks/outbox.js';
import { receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';
import { startClusteredRedis } from '#test/support/engines/clustered-redis.js';

/** The master is found dead after 2 s, and what its replica lacks is found by the reconciler. */
const ARRIVES_MS = 60_000;
const PAYMENTS = 24;

t.test('each webhook arrives while a slot moves, and after a master was killed', async (t) => {
  const redis = await startClusteredRedis(t);
  const databaseUrl = await createDatabase(t);
  const merchant = await createTestMerchant(databaseUrl);
  const receiver = await startReceiver(t);
  const sql = openPostgres(databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  const endpoint = await addEndpoint(sql, merchant.merchantId, receiver.url);
  const variables = {
    ...{ REDIS_URL: redis.url, DATABASE_URL: databaseUrl },
    ...(await receiverVariables(t)),
  };
  const gateway = await startProcess(t, 'gateway', variables);
  await startProcess(t, 'payments', variables);
  const webhooks = await startProcess(t, 'webhooks', variables);
  const api = openApi(gateway.baseUrl, merchant.testKey);

  const pay = async (): Promise<string> => {
    const id = await waitUntil(
      'a payment is created',
      async () => {
        const { status, body } = await api.create({ amount: '15000' });
        return status === 201 ? String(body['id']) : null;
      },
      ARRIVES_MS,
    );
    await waitUntil('it is paid', async () => (await api.simulate(id, 'paid')).status < 500);
    return id;
  };
  const payMany = (): Promise<string[]> => Promise.all(Array.from({ length: PAYMENTS }, pay));
  const waitForAll = (ids: readonly string[]): Promise<unknown> =>
    waitUntil(
      'all webhooks have arrived',
      () => {
        const bodies = receiver.received.map(({ body }) => body.toString());
        return ids.every((id) => bodies.some((body) => body.includes(id)));
      },
      ARRIVES_MS,
    );

  await waitForAll(await payMany());
  const key = buildReadyKey(findDeliveryPartition(endpoint.id));
  let paid: string[] = [];
  await redis.moveSlot(key, {
    run: async () => {
      paid = await payMany();
    },
  });
  await waitForAll(paid);

  const master = await redis.findMaster(key);
  const [, meanwhile] = await Promise.all([master.server.kill(), payMany()]);
  await waitForAll(meanwhile);
  t.ok(webhooks.isRunning(), 'it was not restarted');
});
