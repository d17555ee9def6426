// Subscriptions of a real Redis: replies to gateways, and wake-ups.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { isReady, openRedis, openSubscriber } from '#store/redis/client.js';
import { publishOutcome, type Reply, subscribeReplies } from '#store/redis/replies.js';
import { DELIVERIES_CHANNEL } from '#store/redis/keys.js';
import {
  publishDeliveries,
  subscribeDeliveries,
  subscribeEvents,
  subscribeRailCalls,
} from '#store/redis/wake-up.js';
import { startProxy } from '../support/peers/proxy.js';
import { startRedis } from '../support/servers.js';

const NO_WAKES = { eventPartitions: [], railCalls: [] };
const GATEWAY = 'gw-test';
const server = await startRedis(t);
const redis = openRedis(server.url, () => {});
t.teardown(() => {
  redis.disconnect();
});
await waitUntil('Redis is connected', () => isReady(redis));

t.test('replies reach their gateway only', async (t) => {
  const subscribe = async (name: string): Promise<Reply[]> => {
    const client = openSubscriber(server.url, () => {});
    t.teardown(() => {
      client.disconnect();
    });
    const received: Reply[] = [];
    await subscribeReplies(client, name, (reply) => received.push(reply) > 0);
    return received;
  };
  const [mine, theirs] = [await subscribe(GATEWAY), await subscribe('gw-other')];
  const replies = [
    { correlation: '1', outcome: 'created', body: '{"a":"b:c","d":"\\u001f"}' },
    { correlation: '2', outcome: 'state_conflict', body: 'paid' },
    { correlation: '3', outcome: 'overloaded', body: '' },
  ];
  const all = new Map([
    [GATEWAY, replies],
    ['gw-gone', replies],
  ]);
  await publishOutcome(redis, all, NO_WAKES);
  await waitUntil('the replies arrive', () => mine.length > 0);
  t.strictSame(mine, replies);
  t.strictSame(theirs, []);
});

t.test('a wake-up for calls to rails names their kinds, and all kinds at first', async (t) => {
  const client = openRedis(server.url, () => {});
  t.teardown(() => {
    client.disconnect();
  });
  const wakeUps: unknown[] = [];
  subscribeRailCalls(client, (kinds) => wakeUps.push(kinds && [...kinds]));
  await waitUntil('it is subscribed', () => wakeUps.length > 0);
  const railCalls = [
    { rail: 'midtrans', operation: 'charge' },
    { rail: 'xendit', operation: 'refund' },
    { rail: 'midtrans', operation: 'charge' },
  ];
  await publishOutcome(redis, new Map(), NO_WAKES);
  await publishOutcome(redis, new Map(), { eventPartitions: [3], railCalls });
  await waitUntil('the wake-up arrives', () => wakeUps.length > 1);
  t.strictSame(wakeUps, [undefined, ['midtrans:charge', 'xendit:refund']]);
});

t.test('a wake-up for events names their partitions, and all partitions at first', async (t) => {
  const client = openRedis(server.url, () => {});
  t.teardown(() => {
    client.disconnect();
  });
  const wakeUps: unknown[] = [];
  subscribeEvents(client, (partitions) => wakeUps.push(partitions));
  await waitUntil('it is subscribed', () => wakeUps.length > 0);
  await publishOutcome(redis, new Map(), NO_WAKES);
  await publishOutcome(redis, new Map(), { eventPartitions: [3, 12, 3], railCalls: [] });
  await waitUntil('the wake-up arrives', () => wakeUps.length > 1);
  t.strictSame(wakeUps, [undefined, [3, 12]]);
});

t.test('announced endpoints are received until the subscription ends', async (t) => {
  const client = openRedis(server.url, () => {});
  t.teardown(() => {
    client.disconnect();
  });
  const replies: Reply[] = [];
  await subscribeReplies(client, GATEWAY, (reply) => replies.push(reply) > 0);
  const announced: unknown[] = [];
  const unsubscribe = subscribeDeliveries(client, (endpoints) => announced.push(endpoints));
  await waitUntil('it is subscribed', () => announced.length > 0);
  await publishDeliveries(redis, ['we_1', 'we_2']);
  await waitUntil('the endpoints arrive', () => announced.length > 1);
  unsubscribe();
  await waitUntil('nobody listens', async () => {
    const [, listeners] = (await redis.pubsub('NUMSUB', DELIVERIES_CHANNEL)) as [string, number];
    return listeners === 0;
  });
  await publishDeliveries(redis, ['we_3']);
  const reply = { correlation: '1', outcome: 'created', body: '{}' };
  await publishOutcome(redis, new Map([[GATEWAY, [reply]]]), NO_WAKES);
  await waitUntil('the reply arrives', () => replies.length > 0);
  t.strictSame(announced, [undefined, ['we_1', 'we_2']]);
  t.strictSame(replies, [reply]);
});

t.test('a gateway receives replies again after a lost connection', async (t) => {
  const proxy = await startProxy(t, server.port);
  const client = openRedis(proxy.through(server.url), () => {});
  t.teardown(() => {
    client.disconnect();
  });
  const received: Reply[] = [];
  await subscribeReplies(client, GATEWAY, (reply) => received.push(reply) > 0);
  proxy.cut();
  await waitUntil('a reply arrives', async () => {
    const reply = { correlation: '1', outcome: 'created', body: '{}' };
    await publishOutcome(redis, new Map([[GATEWAY, [reply]]]), NO_WAKES);
    return received.length > 0;
  });
});

t.test('a connection that is lost while it subscribes again ends no process', async (t) => {
  const client = openSubscriber(server.url, () => {});
  t.teardown(() => {
    client.disconnect();
  });
  const bugs: unknown[] = [];
  const noteBug = (error: unknown): void => void bugs.push(error);
  process.on('unhandledRejection', noteBug);
  t.teardown(() => process.off('unhandledRejection', noteBug));
  let subscriptions = 0;
  subscribeEvents(client, () => (subscriptions += 1));
  await waitUntil('it is subscribed', () => subscriptions === 1);
  let losses = 0;
  client.on('ready', () => {
    losses += 1;
    if (losses <= 3) client.stream.destroy();
  });
  client.disconnect(true);
  await waitUntil('it is subscribed again', () => subscriptions === 2);
  t.equal(losses, 4);
  t.strictSame(bugs, []);
});
