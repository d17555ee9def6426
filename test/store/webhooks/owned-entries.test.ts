// Ownership of ready entries: leases, lost entries, consumers that died.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { encodeBase32 } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { isReady, openRedis } from '#store/redis/client.js';
import { buildDueKey, buildHeldKey, buildDeferredKey, buildReadyKey } from '#store/redis/keys.js';
import { fetchDeferred } from '#store/redis/webhooks/due-list.js';
import {
  dropConsumers,
  findDeliveryPartition,
  repairDeliveries,
  PARTITIONS,
} from '#store/redis/webhooks/delivery-partitions.js';
import { enqueueDeliveries, finishEntries } from '#store/redis/webhooks/ready-entries.js';
import {
  claimStale,
  GroupLostError,
  readOwn,
  readReady,
  renewEntries,
} from '#store/redis/webhooks/ready-leases.js';
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
const newDelivery = () => ({ id: newId('del'), endpointId: endpoint.id });

t.beforeEach(async () => {
  await redis.flushall();
  await repairDeliveries(redis);
});

t.test(
  'finishing an entry twice, or after its lease was lost, changes nothing for its holder',
  async (t) => {
    const delivery = newDelivery();
    const count = () =>
      Promise.all([
        redis.xlen(READY),
        redis.scard(buildHeldKey(partition)),
        redis.zcard(buildDueKey(partition)),
      ]);
    await enqueueDeliveries(redis, [delivery]);
    const [entry] = await readReady(redis, 'worker', { partitions: PARTITIONS, count: 10 }, 10);
    if (entry === undefined) throw new Error('no entry was read');
    const deferred = [{ entry, step: 'deferred', returnInMs: 7_000 }] as const;
    await finishEntries(redis, 'stranger', deferred);
    await finishEntries(redis, 'stranger', [{ entry, step: 'returned', dueInMs: 1 }]);
    t.strictSame(await count(), [1, 1, 0], 'only the lease holder may defer or return it');
    await finishEntries(redis, 'worker', deferred);
    t.match(await fetchDeferred(redis, endpoint.id, 1, 9_000), { left: 0 });
    const [again] = await readReady(redis, 'other', { partitions: PARTITIONS, count: 10 }, 10);
    if (again === undefined) throw new Error('no entry was fetched');
    await finishEntries(redis, 'worker', deferred);
    await finishEntries(redis, 'worker', [{ entry, step: 'done' }]);
    t.strictSame(await count(), [1, 1, 0], 'its second entry remains, and it is held');
    t.equal(await redis.exists(buildDeferredKey(partition, endpoint.id)), 0);
    t.strictSame(await readOwn(redis, 'worker', 10), []);
    t.strictSame(await readOwn(redis, 'other', 10), [again], 'the latest reader owns it');
    await finishEntries(redis, 'other', [{ entry: again, step: 'returned', dueInMs: 1 }]);
    t.strictSame(await count(), [0, 0, 1]);
    await redis.xgroup('DESTROY', READY, 'webhooks');
    await finishEntries(redis, 'other', deferred);
    await t.rejects(readOwn(redis, 'other', 10), GroupLostError);
    await repairDeliveries(redis);
  },
);

t.test('a renewed lease is not claimed, and a lost lease cannot be renewed', async (t) => {
  await enqueueDeliveries(redis, [newDelivery()]);
  const [entry] = await readReady(redis, 'slow', { partitions: PARTITIONS, count: 10 }, 10);
  if (entry === undefined) throw new Error('no entry was read');
  const idleMs = async (): Promise<number> => {
    const [pending] = (await redis.xpending(READY, 'webhooks', '-', '+', 1)) as [unknown[]];
    return Number(pending[2]);
  };
  const staleMs = 60_000;
  await redis.call('XCLAIM', READY, 'webhooks', 'slow', 0, entry.entryId, 'IDLE', staleMs);
  t.ok((await idleMs()) >= staleMs, 'the lease is stale');
  t.strictSame(await renewEntries(redis, 'slow', [entry]), new Set());
  t.ok((await idleMs()) < staleMs, 'the lease is renewed');
  await waitUntil('another consumer claims it', async () => {
    return (
      (await claimStale(redis, 'heir', 50, { partitions: PARTITIONS, count: 10 })).length === 1
    );
  });
  const place = `${entry.partition} ${entry.entryId}`;
  t.strictSame(
    await renewEntries(redis, 'slow', [entry]),
    new Set([place]),
    'the entry is reported as lost',
  );
  const [pending] = (await redis.xpending(READY, 'webhooks', '-', '+', 1)) as [unknown[]];
  t.equal(pending[1], 'heir');
  await redis.xgroup('DESTROY', READY, 'webhooks');
  t.equal((await renewEntries(redis, 'heir', [entry])).size, 1, 'without the group it is lost');
  await redis.flushall();
  t.equal((await renewEntries(redis, 'heir', [entry])).size, 1, 'without the stream it is lost');
});

t.test('silent consumers are dropped unless they have pending entries', async (t) => {
  await enqueueDeliveries(redis, [newDelivery()]);
  await readReady(redis, 'dead', { partitions: PARTITIONS, count: 10 }, 10);
  await readReady(redis, 'idle', { partitions: PARTITIONS, count: 10 }, 10);
  const listNames = async (): Promise<unknown[]> =>
    ((await redis.xinfo('CONSUMERS', READY, 'webhooks')) as string[][]).map(([, name]) => name);
  t.equal(await dropConsumers(redis, 60_000), 0);
  await waitUntil('the idle consumer is dropped', async () => {
    await dropConsumers(redis, 20);
    return !(await listNames()).includes('idle');
  });
  t.strictSame(await listNames(), ['dead']);
});
