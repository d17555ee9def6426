// Whose an entry of the ready streams is: leases, lost entries, consumers that are gone. On a real Redis.
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

t.test(
  'an end that comes twice, or from who has lost the entry, takes nothing from others',
  async (t) => {
    const delivery = newDelivery();
    const count = () =>
      Promise.all([
        redis.xlen(READY),
        redis.scard(buildHeldKey(partition)),
        redis.zcard(buildDueKey(partition)),
      ]);
    await enqueueDeliveries(redis, [delivery]);
    const [entry] = await readReady(redis, 'worker', 10, 10);
    if (entry === undefined) throw new Error('nothing was there');
    const parked = [{ entry, step: 'deferred', returnAtMs: 7_000 }] as const;
    await finishEntries(redis, 'stranger', parked);
    await finishEntries(redis, 'stranger', [{ entry, step: 'returned', dueAtMs: 1 }]);
    t.strictSame(await count(), [1, 1, 0], 'who does not hold it cannot give it back');
    await finishEntries(redis, 'worker', parked);
    t.equal(await fetchDeferred(redis, endpoint.id, 1, 9_000), 0);
    const [again] = await readReady(redis, 'other', 10, 10);
    if (again === undefined) throw new Error('it was not fetched');
    await finishEntries(redis, 'worker', parked);
    await finishEntries(redis, 'worker', [{ entry, step: 'done' }]);
    t.strictSame(await count(), [1, 1, 0], 'its second entry stands, and it is held');
    t.equal(await redis.exists(buildDeferredKey(partition, endpoint.id)), 0);
    t.strictSame(await readOwn(redis, 'worker', 10), []);
    t.strictSame(await readOwn(redis, 'other', 10), [again], 'it is who read it last that owns it');
    await finishEntries(redis, 'other', [{ entry: again, step: 'returned', dueAtMs: 1 }]);
    t.strictSame(await count(), [0, 0, 1]);
    await redis.xgroup('DESTROY', READY, 'webhooks');
    await finishEntries(redis, 'other', parked);
    await t.rejects(readOwn(redis, 'other', 10), GroupLostError);
    await repairDeliveries(redis);
  },
);

t.test('a lease that is renewed is not taken over, and not by who lost it', async (t) => {
  await enqueueDeliveries(redis, [newDelivery()]);
  const [entry] = await readReady(redis, 'slow', 10, 10);
  if (entry === undefined) throw new Error('nothing was there');
  const idleMs = async (): Promise<number> => {
    const [pending] = (await redis.xpending(READY, 'webhooks', '-', '+', 1)) as [unknown[]];
    return Number(pending[2]);
  };
  await waitUntil('it is stale', 5_000, async () => (await idleMs()) >= 50);
  t.strictSame(await renewEntries(redis, 'slow', [entry]), new Set());
  t.ok((await idleMs()) < 50);
  await waitUntil('it is taken over', 5_000, async () => {
    return (await claimStale(redis, 'heir', 50, 10)).length === 1;
  });
  const place = `${entry.partition} ${entry.entryId}`;
  t.strictSame(await renewEntries(redis, 'slow', [entry]), new Set([place]), 'it says so');
  const [pending] = (await redis.xpending(READY, 'webhooks', '-', '+', 1)) as [unknown[]];
  t.equal(pending[1], 'heir');
  await redis.xgroup('DESTROY', READY, 'webhooks');
  t.equal((await renewEntries(redis, 'heir', [entry])).size, 1, 'nor without a group');
  await redis.flushall();
  t.equal((await renewEntries(redis, 'heir', [entry])).size, 1, 'nor without a stream');
});

t.test(
  'consumers that are silent leave the group, unless something is pending for them',
  async (t) => {
    await enqueueDeliveries(redis, [newDelivery()]);
    await readReady(redis, 'dead', 10, 10);
    await readReady(redis, 'idle', 10, 10);
    const namesOf = async (): Promise<unknown[]> =>
      ((await redis.xinfo('CONSUMERS', READY, 'webhooks')) as string[][]).map(([, name]) => name);
    t.equal(await dropConsumers(redis, 60_000), 0);
    await waitUntil('the idle one is gone', 5_000, async () => {
      await dropConsumers(redis, 20);
      return !(await namesOf()).includes('idle');
    });
    t.strictSame(await namesOf(), ['dead']);
  },
);
