// The queues of webhooks on a Redis Cluster of one node, which rejects commands over several slots like any cluster:
// each command and script must stay in the slot of its partition.
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import t from 'tap';
import {
  dropConsumers,
  leaveGroup,
  repairDeliveries,
  PARTITIONS,
} from '#store/redis/webhooks/delivery-partitions.js';
import { enqueueDeliveries, finishEntries } from '#store/redis/webhooks/ready-entries.js';
import {
  claimStale,
  createReadyReader,
  readOwn,
  renewEntries,
} from '#store/redis/webhooks/ready-leases.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { isReady, openRedis } from '#store/redis/client.js';
import { fetchDeferred, moveDue } from '#store/redis/webhooks/due-list.js';
import { startRedis } from '#test/support/servers.js';

/** Also the limit of one partition, because endpoints are random. */
const COUNT = 64;

t.test('deliveries on a cluster are enqueued, read, deferred, moved and finished', async (t) => {
  // Without a port of its own, the bus of the cluster listens 10,000 above the server, where others may listen already.
  const settings = [
    ...['cluster-enabled yes', `cluster-port ${await findFreePort()}`],
    'cluster-announce-ip 127.0.0.1',
  ];
  const server = await startRedis(t, { settings });
  const node = new Redis(server.url);
  await node.cluster('ADDSLOTSRANGE', 0, 16_383);
  const redis = openRedis(
    server.url.replace('redis://', 'redis+cluster://').replace(/\/0$/, ''),
    () => {},
  );
  t.teardown(() => {
    node.disconnect();
    redis.disconnect();
  });
  await waitUntil('the cluster is up', () => isReady(redis));
  t.equal(await repairDeliveries(redis), 16);
  const deliveries = Array.from({ length: COUNT }, () => {
    const id = randomBytes(8).toString('hex');
    return { id: `del_${id}`, endpointId: `we_${id}` };
  });
  t.equal(await enqueueDeliveries(redis, deliveries), deliveries.length);
  const read = createReadyReader(redis, 'worker');
  const entries = await read({ partitions: PARTITIONS, count: COUNT }, 10);
  t.equal(entries.length, deliveries.length);
  t.strictSame(
    await read({ partitions: PARTITIONS, count: COUNT }, 10),
    [],
    'an empty read does not wait',
  );
  await renewEntries(redis, 'worker', entries);
  t.strictSame(
    await claimStale(redis, 'worker', 60_000, { partitions: PARTITIONS, count: 10 }),
    [],
  );
  t.equal((await readOwn(redis, 'worker', COUNT)).length, deliveries.length);
  const [deferred, later] = [entries.slice(0, 32), entries.slice(32)];
  await finishEntries(redis, 'worker', [
    ...deferred.map((entry) => ({ entry, step: 'deferred', returnInMs: 6_000 }) as const),
    ...later.map((entry) => ({ entry, step: 'retry', dueInMs: 0 }) as const),
  ]);
  await moveDue(redis, PARTITIONS, 1_000);
  for (const { endpointId } of deferred) await fetchDeferred(redis, endpointId, 1, 7_000);
  const again = await read({ partitions: PARTITIONS, count: COUNT }, 10);
  t.equal(again.length, deliveries.length);
  await finishEntries(
    redis,
    'worker',
    again.map((entry) => ({ entry, step: 'done' })),
  );
  t.strictSame(await moveDue(redis, PARTITIONS, 1_000), { nextInMs: null, deferredLanes: [] });
  await leaveGroup(redis, 'worker');
  await dropConsumers(redis, 0);
});
