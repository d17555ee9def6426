// Bounds of the webhook queues in Redis: what exceeds them is left to Postgres.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { encodeBase32 } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { isReady, openRedis } from '#store/redis/client.js';
import {
  buildDeferredKey,
  buildDueKey,
  buildLanesKey,
  buildReadyKey,
} from '#store/redis/keys.js';
import { findDeliveryPartition, repairDeliveries } from '#store/redis/webhooks/delivery-partitions.js';
import {
  fetchDeferred,
  moveDue,
  readOverflow,
  settleOverflow,
} from '#store/redis/webhooks/due-list.js';
import {
  MAX_ALL_DEFERRED,
  MAX_DEFERRED,
  MAX_DUE,
  MAX_READY,
} from '#store/redis/webhooks/queue-bounds.js';
import { enqueueDeliveries, finishEntries } from '#store/redis/webhooks/ready-entries.js';
import { readReady } from '#store/redis/webhooks/ready-leases.js';
import { startRedis } from '#test/support/servers.js';

const server = await startRedis(t);
const redis = openRedis(server.url, () => {});
t.teardown(() => {
  redis.disconnect();
});
await waitUntil('Redis is there', 5_000, () => isReady(redis));
const newId = (prefix: string): string => `${prefix}_${encodeBase32(randomBytes(16))}`;
const endpoint = { id: newId('we') };
const partition = findDeliveryPartition(endpoint.id);
const READY = buildReadyKey(partition);
const newDelivery = () => ({ id: newId('del'), endpointId: endpoint.id });

t.beforeEach(async () => {
  await redis.flushall();
  await repairDeliveries(redis);
});

t.test('a lane keeps a bounded list in Redis, and overflows to Postgres', async (t) => {
  const many = 10 * MAX_DEFERRED;
  await redis.zadd(buildDeferredKey(partition, endpoint.id), 1, 'del_first');
  const deliveries = Array.from({ length: many }, newDelivery);
  t.equal(await enqueueDeliveries(redis, deliveries), MAX_DEFERRED - 1);
  t.equal(await redis.zcard(buildDeferredKey(partition, endpoint.id)), MAX_DEFERRED);
  t.equal(await readOverflow(redis, endpoint.id), String(many - MAX_DEFERRED + 1));
  t.equal(await enqueueDeliveries(redis, deliveries.slice(0, 10)), 0, 'they are in the list');
  t.equal(await readOverflow(redis, endpoint.id), String(many - MAX_DEFERRED + 1), 'not counted');

  const full = await fetchDeferred(redis, endpoint.id, 1, 7_000);
  t.strictSame(full, { left: MAX_DEFERRED - 1, needsRefill: false });
  const short = await fetchDeferred(redis, endpoint.id, MAX_DEFERRED, 7_000);
  t.strictSame(short, { left: 0, needsRefill: true });
  const moved = await moveDue(redis, 7_000, 1_000);
  t.strictSame(moved, {
    nextAtMs: 8_000,
    deferredLanes: [{ endpointId: endpoint.id, needsRefill: true }],
  });
  await settleOverflow(redis, endpoint.id, '1');
  t.ok(await readOverflow(redis, endpoint.id), 'deliveries were left out since');
  await settleOverflow(redis, endpoint.id, String(many - MAX_DEFERRED + 1));
  t.equal(await readOverflow(redis, endpoint.id), null);
  t.strictSame(await moveDue(redis, 8_000, 1_000), { nextAtMs: null, deferredLanes: [] });
});

t.test('a deferred or due delivery of a lane with a full list is left to Postgres', async (t) => {
  const list = buildDeferredKey(partition, endpoint.id);
  const delivery = newDelivery();
  await enqueueDeliveries(redis, [delivery]);
  const [entry] = await readReady(redis, 'worker', 1, 10);
  if (entry === undefined) throw new Error('no entry was read');
  const full = Array.from({ length: MAX_DEFERRED }, (_, index) => [1, `del_${index}`]).flat();
  await redis.zadd(list, ...full);
  await finishEntries(redis, 'worker', [{ entry, step: 'deferred', returnAtMs: 7_000 }]);
  t.equal(await readOverflow(redis, endpoint.id), '1');
  t.strictSame(await Promise.all([redis.xlen(READY), redis.zcard(list)]), [0, MAX_DEFERRED]);
  await redis.zadd(buildDueKey(partition), 6_000, `${endpoint.id} ${delivery.id}`);
  await moveDue(redis, 6_500, 1_000);
  t.equal(await readOverflow(redis, endpoint.id), '2');
  t.equal(await redis.zcard(list), MAX_DEFERRED);
});

t.test('the lists of many lanes share the memory of their partition', async (t) => {
  const lanes = MAX_ALL_DEFERRED / 10;
  const times = Array.from({ length: lanes }, (_, index) => [1, `we_${index}`]).flat();
  await redis.zadd(buildLanesKey(partition), ...times);
  await redis.zadd(buildDeferredKey(partition, endpoint.id), 1, 'del_first');
  await enqueueDeliveries(redis, Array.from({ length: 100 }, newDelivery));
  const length = await redis.zcard(buildDeferredKey(partition, endpoint.id));
  t.equal(length, MAX_ALL_DEFERRED / lanes);
});

t.test('a due-list that is too long drops its latest deliveries', async (t) => {
  const due = buildDueKey(partition);
  const far = Array.from({ length: MAX_DUE }, (_, index) => [9_000 + index, `we_x del_${index}`]);
  await redis.zadd(due, ...far.flat());
  const delivery = newDelivery();
  await enqueueDeliveries(redis, [delivery]);
  const [entry] = await readReady(redis, 'worker', 1, 10);
  if (entry === undefined) throw new Error('no entry was read');
  await finishEntries(redis, 'worker', [{ entry, step: 'retry', dueAtMs: 5_000 }]);
  t.equal(await redis.zcard(due), MAX_DUE);
  t.equal(await redis.zscore(due, `we_x del_${MAX_DUE - 1}`), null);
  t.equal(await redis.zscore(due, `${endpoint.id} ${delivery.id}`), '5000');
});

t.test('a full ready stream passes further deliveries on to the lists of their lanes', async (t) => {
  const deliveries = Array.from({ length: MAX_READY + 10 }, newDelivery);
  t.equal(await enqueueDeliveries(redis, deliveries), deliveries.length);
  t.equal(await redis.xlen(READY), MAX_READY);
  t.equal(await redis.zcard(buildDeferredKey(partition, endpoint.id)), 10);
  t.equal(await redis.zcard(buildLanesKey(partition)), 1);
});
