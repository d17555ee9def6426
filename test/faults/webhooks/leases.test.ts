// Leases that a worker cannot renew, because the network swallows one of its connections to Redis while the other one
// works. Another process claims its deliveries, and the worker must begin none of them.
import { Registry } from 'prom-client';
import t from 'tap';
import { LEASE_MS } from '#actors/webhooks/deliveries/lease.js';
import { openDeliveryStore } from '#actors/webhooks/deliveries/ports.js';
import { openPoster, startDeliveries } from '#actors/webhooks/deliveries/start-deliveries.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { readConfig } from '#ops/runtime/config.js';
import { createLog } from '#ops/runtime/log.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { fanOut } from '#store/postgres/webhooks/fan-out.js';
import { openRedis, waitUntilReady } from '#store/redis/client.js';
import { PARTITIONS, repairDeliveries } from '#store/redis/webhooks/delivery-partitions.js';
import { enqueueDeliveries } from '#store/redis/webhooks/ready-entries.js';
import { claimStale } from '#store/redis/webhooks/ready-leases.js';
import { createTestMerchant, TEST_KEYS } from '#test/support/processes.js';
import { startProxy } from '#test/support/peers/proxy.js';
import { createDatabase, startRedis } from '#test/support/servers.js';
import { countPending } from '#test/support/webhooks/kept.js';
import { addEndpoint, addEvents } from '#test/support/webhooks/outbox.js';
import { receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';

const READY_MS = 20_000;
const WORKER = 'cut-off';
const CLAIMER = 'other';

t.test('a worker begins no delivery whose lease it could not renew', async (t) => {
  const databaseUrl = await createDatabase(t);
  const server = await startRedis(t);
  const proxy = await startProxy(t, server.port);
  const variables = { ...TEST_KEYS, LOG_LEVEL: 'silent', ...(await receiverVariables(t)) };
  const config = readConfig('start', variables);
  const log = createLog(config, 'webhooks');
  const [sql, locking] = ['test', 'locks'].map((purpose) => openPostgres(databaseUrl, purpose, 3));
  const clients = [proxy.through(server.url), server.url, server.url].map((url) =>
    openRedis(url, () => {}),
  );
  await Promise.all(clients.map((client) => waitUntilReady(client, READY_MS)));
  const [redis, blockingRedis, direct] = clients;
  if (!sql || !locking || !redis || !blockingRedis || !direct) throw new Error('not opened');
  const { merchantId } = await createTestMerchant(databaseUrl);
  const receiver = await startReceiver(t);
  await addEndpoint(sql, merchantId, receiver.url);
  await checkInstallation(sql, { partitions: config.partitions, idKey: config.idKey });
  await ensureCursors(sql);
  const [held] = await addEvents(sql, merchantId, 1);
  const { deliveries } = await fanOut(sql);
  // The worker cannot read the endpoint, so it holds the delivery and has not begun it.
  const unlock = await lockEndpoints(locking);
  await repairDeliveries(direct);
  await enqueueDeliveries(direct, deliveries);
  const stopping = new AbortController();
  const stop = startDeliveries({
    ...{ config, store: openDeliveryStore({ reads: sql, attempts: sql, fanOut: sql }) },
    ...{ poster: openPoster(config), redis, blockingRedis, consumer: WORKER },
    onRecorded: () => undefined,
    share: {
      listDeliveryPartitions: () => PARTITIONS,
      ownsEndpoint: () => true,
      isIdle: () => false,
    },
    ...{ stopping: stopping.signal, registry: new Registry(), random: Math.random },
    ...{ clock: SYSTEM_CLOCK, log },
  });
  t.teardown(async () => {
    proxy.heal();
    stopping.abort();
    await stop();
    for (const client of clients) client.disconnect();
    await Promise.all([sql.end({ timeout: 1 }), locking.end({ timeout: 1 })]);
  });
  await waitUntil('the worker holds the delivery', async () => {
    return (await countPending(direct)).get(WORKER) === 1;
  });
  proxy.hold();
  await waitUntil('the other one claims it', async () => {
    const claimed = await claimStale(direct, CLAIMER, LEASE_MS, {
      ...{ partitions: PARTITIONS, count: 1 },
    });
    return claimed.length === 1;
  });
  await unlock();
  await waitUntil('the worker may read the endpoint', async () => {
    const rows = await locking`
      select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`;
    return rows.length === 0;
  });
  const [later] = await addEvents(sql, merchantId, 1);
  await fanOut(sql);
  proxy.heal();
  await waitUntil('the worker delivers what it holds', () =>
    receiver.received.some(({ id }) => id === later),
  );
  t.notOk(
    receiver.received.some(({ id }) => id === held),
    'the delivery of the other process was not begun',
  );
  await waitUntil('the worker acknowledges what it delivered', async () => {
    return !(await countPending(direct)).has(WORKER);
  });
  t.strictSame([...(await countPending(direct))], [[CLAIMER, 1]]);
});

/** Nothing reads an endpoint until the returned function is called. */
async function lockEndpoints(sql: Postgres): Promise<() => Promise<void>> {
  let unlock = (): void => {};
  const unlocked = new Promise<void>((resolve) => (unlock = resolve));
  let done: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve) => {
    done = sql.begin(async (tx) => {
      await tx`set local statement_timeout = 0`;
      await tx`lock table webhook_endpoints in access exclusive mode`;
      resolve();
      await unlocked;
    });
  });
  return async () => {
    unlock();
    await done;
  };
}
