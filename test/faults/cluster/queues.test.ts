// The queues of deliveries while a Redis Cluster moves their slot and the list of a lane is at the other node already: scripts that
// are ended in the middle leave each delivery somewhere.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openRedis } from '#store/redis/client.js';
import {
  buildDeadKey,
  buildDeferredKey,
  buildDueKey,
  buildOverflowKey,
} from '#store/redis/keys.js';
import {
  findDeliveryPartition,
  repairDeliveries,
} from '#store/redis/webhooks/delivery-partitions.js';
import { moveDue } from '#store/redis/webhooks/due-list.js';
import { enqueueDeliveries, finishEntries } from '#store/redis/webhooks/ready-entries.js';
import { readOwn, createReadyReader } from '#store/redis/webhooks/ready-leases.js';
import { startClusteredRedis } from '#test/support/engines/clustered-redis.js';

const ENDPOINT = `we_${'a'.repeat(26)}`;
const PARTITION = findDeliveryPartition(ENDPOINT);
const SOON_MS = 1_000;
const LATER_MS = 60_000;

t.test('no delivery is lost while the slot moves', async (t) => {
  const cluster = await startClusteredRedis(t);
  const redis = openRedis(cluster.url, () => {});
  t.teardown(() => {
    redis.disconnect();
  });
  await waitUntil('Redis answers', () => repairDeliveries(redis).then(() => true));
  const ids = ['del_1', 'del_2', 'del_3'];
  await enqueueDeliveries(
    redis,
    ids.map((id) => ({ id, endpointId: ENDPOINT })),
  );
  const read = createReadyReader(redis, 'worker');
  const [first, second, third] = await read({ partitions: [PARTITION], count: 3 }, SOON_MS);
  if (!first || !second || !third) throw new Error('the entries were not read');
  // The first opens the list of the lane, the second waits for its time, the third is under way.
  await finishEntries(redis, 'worker', [
    { entry: first, step: 'deferred', returnInMs: LATER_MS },
    { entry: second, step: 'retry', dueInMs: 0 },
  ]);
  // A declared key without a value would keep the scripts from running at all.
  await redis.hset(buildOverflowKey(PARTITION), 'we_other', 1);
  await redis.xadd(buildDeadKey(PARTITION), '*', 'd', 'del_dead');
  const list = buildDeferredKey(PARTITION, ENDPOINT);
  await cluster.moveSlot(list, {
    first: [list],
    run: async () => {
      await t.rejects(
        finishEntries(redis, 'worker', [{ entry: third, step: 'deferred', returnInMs: LATER_MS }]),
        'the list is elsewhere',
      );
      await t.rejects(moveDue(redis, [PARTITION], SOON_MS), 'the list is elsewhere');
    },
  });
  const places = [
    ...(await redis.zrange(list, '0', '-1')),
    ...(await redis.zrange(buildDueKey(PARTITION), '0', '-1')).map(
      (member) => member.split(' ')[1],
    ),
    ...(await readOwn(redis, 'worker', 10)).map(({ deliveryId }) => deliveryId),
    ...(await read({ partitions: [PARTITION], count: 3 }, 1)).map(({ deliveryId }) => deliveryId),
  ];
  t.strictSame([...new Set(places)].sort(), ids, 'each delivery is somewhere');
});
