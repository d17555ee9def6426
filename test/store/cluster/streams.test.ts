// Command streams on a Redis Cluster of one node, which refuses commands over several slots like any cluster. Its address
// is that of a proxy, which loses replies.
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import t from 'tap';
import { WAIT_MS, waitUntil } from '#ops/dev/launch/wait-until.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import {
  isReady,
  openRedis,
  openSubscriber,
  readMemoryShare,
  readTime,
} from '#store/redis/client.js';
import { ClusterFrameReader } from '#store/redis/cluster-frame-reader.js';
import { appendEmptyFrames, findMissingFrames, sendFrames } from '#store/redis/commands.js';
import type { Cursor } from '#store/redis/commands.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { publishOutcome, type Reply, subscribeReplies } from '#store/redis/replies.js';
import { maintainStreams } from '#store/redis/stream-repair.js';
import { at } from '#test/support/actors/batches.js';
import { startProxy } from '#test/support/peers/proxy.js';
import { startRedis } from '#test/support/servers.js';

const KEYS = { gateway: [{ key: Buffer.alloc(32, 1) }], rails: [], webhooks: [] };
const SENDER = { name: 'gw-test', source: 'gateway', keys: KEYS.gateway } as const;
const PARTITIONS = [0, 1, 2];
const START = at(0, 1);
/** Longer than each wait of the test. */
const NEVER_MS = 2 * WAIT_MS;

const password = randomBytes(12).toString('hex');
// Without a port of its own, the bus of the cluster listens 10,000 above the server, where others may listen already.
const settings = ['cluster-enabled yes', `cluster-port ${await findFreePort()}`];
const server = await startRedis(t, { settings, password });
const proxy = await startProxy(t, server.port);
const direct = new Redis(server.url, { maxRetriesPerRequest: 0 });
const url = `redis+cluster://:${password}@127.0.0.1:${proxy.port}`;
const redis = openRedis(url, () => {});
t.teardown(() => {
  direct.disconnect();
  redis.disconnect();
});
await direct.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
await direct.config('SET', 'cluster-announce-ip', '127.0.0.1');
await direct.config('SET', 'cluster-announce-port', proxy.port);
await waitUntil('the cluster is up', async () => {
  return String(await direct.call('CLUSTER', 'INFO')).includes('cluster_state:ok');
});
await waitUntil('Redis is connected', () => isReady(redis));

const cursors = (): Cursor[] => PARTITIONS.map((partition) => ({ partition, after: START }));
const frames = (text: string) =>
  new Map(PARTITIONS.map((partition) => [partition, [{ correlation: '', text }]]));

t.test('streams of several slots are made, appended to, read and trimmed', async (t) => {
  t.strictSame(
    [...(await sendFrames(redis, SENDER, frames('early'))).values()],
    ['refused', 'refused', 'refused'],
    'streams that do not exist yet',
  );
  const made = await maintainStreams(redis, cursors());
  t.strictSame(
    [...made.values()].map(({ repair }) => repair),
    ['remade', 'remade', 'remade'],
  );
  const reader = new ClusterFrameReader({ open: () => openRedis(url, () => {}), keys: KEYS });
  t.teardown(() => {
    reader.close();
  });
  const waiting = reader.read(cursors(), NEVER_MS);
  const places = new Map<number, ReturnType<typeof at>>();
  const sent = await sendFrames(redis, SENDER, frames('first'), (partition, position) => {
    places.set(partition, position);
  });
  t.strictSame([...sent.values()], ['accepted', 'accepted', 'accepted']);
  const read = new Map((await waiting).frames.map((frame) => [frame.partition, frame]));
  await waitUntil('all frames are read', async () => {
    const left = cursors().filter(({ partition }) => !read.has(partition));
    if (left.length === 0) return true;
    for (const frame of (await reader.read(left, 10)).frames) read.set(frame.partition, frame);
    return false;
  });
  t.strictSame(
    PARTITIONS.map((partition) => read.get(partition)?.position),
    PARTITIONS.map((partition) => places.get(partition)),
  );
  t.equal((await findMissingFrames(redis, places)).size, 0);
  await appendEmptyFrames(redis, PARTITIONS);
  const behind = [...places].map(([partition, after]) => ({ partition, after, trimTo: after }));
  for (const { repair } of (await maintainStreams(redis, behind)).values())
    t.equal(repair, 'sound');
  t.strictSame([...(await findMissingFrames(redis, places))], PARTITIONS, 'they were trimmed');

  const later = reader.read(behind, NEVER_MS);
  await reader.interrupt();
  t.ok((await later).frames.length <= PARTITIONS.length, 'an interrupted read ends');
  t.strictSame(
    (await reader.read([{ partition: 0, after: START }], NEVER_MS)).frames.map(
      ({ commands }) => commands.length,
    ),
    [0],
    'a partition that was claimed again is read behind its position',
  );
});

t.test('replies reach a subscriber of one node', async (t) => {
  const subscriber = openSubscriber(url, () => {});
  t.teardown(() => {
    subscriber.disconnect();
  });
  const replies: Reply[] = [];
  await subscribeReplies(subscriber, 'gw-test', (reply) => replies.push(reply) > 0);
  const reply = { correlation: 'c', outcome: 'created', body: '{}' };
  await publishOutcome(redis, new Map([['gw-test', [reply]]]), {
    eventPartitions: [1],
    railCalls: [],
  });
  await waitUntil('the reply is there', () => replies.length === 1);
  t.strictSame(replies, [reply]);
});

t.test('questions without a key are answered', async (t) => {
  t.ok(Math.abs((await readTime(redis)) - Date.now()) < WAIT_MS);
  const share = await readMemoryShare(redis);
  t.ok(share > 0 && share < 1);
});

t.test(
  'a frame whose reply is lost is in the stream once, and unknown to its sender',
  async (t) => {
    const key = buildCommandsKey(0);
    const before = await direct.xlen(key);
    proxy.swallowReplies();
    const result = await sendFrames(
      redis,
      SENDER,
      new Map([[0, [{ correlation: '', text: 'x' }]]]),
    );
    t.equal(result.get(0), 'unknown');
    proxy.heal();
    await waitUntil('Redis is connected again', () =>
      redis.ping().then(
        () => true,
        () => false,
      ),
    );
    t.equal(await direct.xlen(key), before + 1);
  },
);
