// Bounds of the webhook queues in Redis: what exceeds them is left to Postgres.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { encodeBase32 } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { isReady, openRedis } from '#store/redis/client.js';
import { buildDeferredKey, buildDueKey, buildLanesKey, buildReadyKey } from '#store/redis/keys.js';
import {
  findDeliveryPartition,
  repairDeliveries,
  PARTITIONS,
} from '#store/redis/webhooks/delivery-partitions.js';
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
  MAX_LATE_MS,
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
await waitUntil('Redis is there', () => isReady(redis));
const newId = (prefix: string): string => `${prefix}_${encodeBase32(randomBytes(16))}`;
const endpoint = { id: newId('we') };
const partition = findDeliveryPartition(endpoint.id);
const READY = buildReadyKey(partition);
const RETURN_MS = 1_000;
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

  const full = await fetchDeferred(redis, endpoint.id, 1, RETURN_MS);
  t.strictSame(full, { left: MAX_DEFERRED - 1, needsRefill: false });
  const short = await fetchDeferred(redis, endpoint.id, MAX_DEFERRED, RETURN_MS);
  t.strictSame(short, { left: 0, needsRefill: true });
  await redis.zadd(buildLanesKey(partition), 1, endpoint.id);
  const { deferredLanes } = await moveDue(redis, PARTITIONS, RETURN_MS);
  t.strictSame(deferredLanes, [{ endpointId: endpoint.id, needsRefill: true }]);
  await settleOverflow(redis, endpoint.id, '1');
  t.ok(await readOverflow(redis, endpoint.id), 'deliveries were left out since');
  await settleOverflow(redis, endpoint.id, String(many - MAX_DEFERRED + 1));
  t.equal(await readOverflow(redis, endpoint.id), null);
  await redis.zadd(buildLanesKey(partition), 1, endpoint.id);
  t.strictSame(await moveDue(redis, PARTITIONS, RETURN_MS), { nextInMs: null, deferredLanes: [] });
});

t.test('a deferred or due delivery of a lane with a full list is left to Postgres', async (t) => {
  const list = buildDeferredKey(partition, endpoint.id);
  const delivery = newDelivery();
  await enqueueDeliveries(redis, [delivery]);
  const [entry] = await readReady(redis, 'worker', { partitions: PARTITIONS, count: 1 }, 10);
  if (entry === undefined) throw new Error('no entry was read');
  const full = Array.from({ length: MAX_DEFERRED }, (_, index) => [1, `del_${index}`]).flat();
  await redis.zadd(list, ...full);
  await finishEntries(redis, 'worker', [{ entry, step: 'deferred', returnInMs: 7_000 }]);
  t.equal(await readOverflow(redis, endpoint.id), '1');
  t.strictSame(await Promise.all([redis.xlen(READY), redis.zcard(list)]), [0, MAX_DEFERRED]);
  await redis.zadd(buildDueKey(partition), 1, `${endpoint.id} ${delivery.id}`);
  await moveDue(redis, PARTITIONS, RETURN_MS);
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
  const farMs = Date.now() + 3_600_000;
  const far = Array.from({ length: MAX_DUE }, (_, index) => [farMs + index, `we_x del_${index}`]);
  await redis.zadd(due, ...far.flat());
  const delivery = newDelivery();
  await enqueueDeliveries(redis, [delivery]);
  const [entry] = await readReady(redis, 'worker', { partitions: PARTITIONS, count: 1 }, 10);
  if (entry === undefined) throw new Error('no entry was read');
  await finishEntries(redis, 'worker', [{ entry, step: 'retry', dueInMs: 5_000 }]);
  t.equal(await redis.zcard(due), MAX_DUE);
  t.equal(await redis.zscore(due, `we_x del_${MAX_DUE - 1}`), null);
  t.ok(await redis.zscore(due, `${endpoint.id} ${delivery.id}`));
});

t.test(
  'a full ready stream passes further deliveries on to the lists of their lanes',
  async (t) => {
    const deliveries = Array.from({ length: MAX_READY + 10 }, newDelivery);
    t.equal(await enqueueDeliveries(redis, deliveries), deliveries.length);
    t.equal(await redis.xlen(READY), MAX_READY);
    t.equal(await redis.zcard(buildDeferredKey(partition, endpoint.id)), 10);
    t.equal(await redis.zcard(buildLanesKey(partition)), 1);
  },
);

t.test(
  'an overdue delivery whose due time is too late is made ready when it is offered',
  async (t) => {
    const delivery = newDelivery();
    const due = buildDueKey(partition);
    const lateMs = Date.now() + 6 * 3_600_000;
    await redis.zadd(due, lateMs, `${endpoint.id} ${delivery.id}`);
    t.equal(await enqueueDeliveries(redis, [delivery]), 1);
    t.strictSame(await Promise.all([redis.xlen(READY), redis.zcard(due)]), [1, 0]);
    await redis.zadd(due, Date.now() + MAX_LATE_MS / 2, `${endpoint.id} del_soon`);
    t.equal(await enqueueDeliveries(redis, [{ ...delivery, id: 'del_soon' }]), 0, 'it is due soon');

    const lanes = buildLanesKey(partition);
    await redis.zadd(buildDeferredKey(partition, endpoint.id), 1, 'del_first');
    await redis.zadd(lanes, lateMs, endpoint.id);
    await enqueueDeliveries(redis, [newDelivery()]);
    t.ok(Number(await redis.zscore(lanes, endpoint.id)) < lateMs - 3_600_000, 'so is its lane');
  },
);
