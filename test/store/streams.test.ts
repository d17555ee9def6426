// Command streams and replies on a real Redis.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { isReady, openRedis } from '#store/redis/client.js';
import {
  type Cursor,
  type Frame,
  type FramedCommand,
  readFrames,
  sendFrames,
  type StreamRepair,
  maintainStreams,
} from '#store/redis/commands.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { publishOutcome, type Reply, subscribeReplies } from '#store/redis/replies.js';
import { subscribeRailCalls } from '#store/redis/wake-up.js';
import { at } from '../support/actors/batches.js';
import { startProxy } from '../support/proxy.js';
import { startRedis } from '../support/servers.js';

const GATEWAY = 'gw-test';
const NO_WAKES = { hasEvents: false, railCalls: [] };
const START = at(0, 1);
const server = await startRedis(t);
const redis = openRedis(server.url, () => {});
t.teardown(() => {
  redis.disconnect();
});
await waitUntil('the client is ready', 5_000, () => isReady(redis));

const frames = (...partitions: number[]): Map<number, FramedCommand[]> =>
  new Map(partitions.map((partition) => [partition, [{ correlation: 'c', text: 't' }]]));
const send = (...partitions: number[]) => sendFrames(redis, GATEWAY, frames(...partitions));
const read = (partition: number, after = START): Promise<Frame[]> =>
  readFrames(redis, [{ partition, after }], 100, 10);
const repair = async (cursors: readonly Cursor[]): Promise<[number, StreamRepair][]> =>
  [...(await maintainStreams(redis, cursors))].map(([partition, found]) => [
    partition,
    found.repair,
  ]);
const lastIdOf = async (partition: number): Promise<string> => {
  const fields = (await redis.xinfo('STREAM', buildCommandsKey(partition))) as string[];
  return fields[fields.indexOf('last-generated-id') + 1] ?? '';
};

t.beforeEach(() => redis.flushall());

t.test('a missing stream refuses, and is not made by the way', async (t) => {
  await repair([{ partition: 1, after: START }]);
  t.strictSame(
    [...(await send(0, 1))],
    [
      [0, 'refused'],
      [1, 'accepted'],
    ],
  );
  t.equal(await redis.exists(buildCommandsKey(0)), 0);
});

t.test('commands come out as they went in, in order', async (t) => {
  await repair([{ partition: 3, after: START }]);
  const commands = [
    { correlation: 'a', text: '{"x":"\u001f\\u0000é"}' },
    { correlation: '', text: '' },
  ];
  await sendFrames(redis, GATEWAY, new Map([[3, commands]]));
  await send(3);
  const [first, second, ...others] = await read(3);
  t.match(first, { partition: 3, sender: GATEWAY, commands });
  t.match(second, { commands: [{ correlation: 'c', text: 't' }] });
  t.strictSame(others, []);
});

t.test('an unready connection refuses at once, a cut one does not know', async (t) => {
  const proxy = await startProxy(t, server.port);
  const through = openRedis(proxy.through(server.url), () => {});
  t.teardown(() => {
    through.disconnect();
  });
  t.strictSame([...(await sendFrames(through, GATEWAY, frames(0)))], [[0, 'refused']]);
  await waitUntil('the connection is ready', 5_000, () => isReady(through));
  await repair([{ partition: 0, after: START }]);
  proxy.swallowReplies();
  const sent = sendFrames(through, GATEWAY, frames(0));
  await waitUntil('it has arrived', 5_000, async () => (await redis.xlen(buildCommandsKey(0))) > 0);
  proxy.cut();
  t.strictSame([...(await sent)], [[0, 'unknown']]);
  proxy.heal();
  await waitUntil('it is ready again', 5_000, () => isReady(through));
  t.equal(await redis.xlen(buildCommandsKey(0)), 1, 'and was not sent again');
});

t.test('a server that has no memory left refuses', async (t) => {
  await repair([{ partition: 0, after: START }]);
  await redis.config('SET', 'maxmemory', '1');
  t.strictSame([...(await send(0))], [[0, 'refused']]);
  await redis.config('SET', 'maxmemory', '0');
});

t.test('a missing stream is made again with its last id at the position', async (t) => {
  const after = at(Date.now() + 60_000, 5);
  const repairs = await repair([{ partition: 0, after }]);
  t.strictSame(repairs, [[0, 'remade']]);
  t.equal(await redis.xlen(buildCommandsKey(0)), 0);
  t.equal(await lastIdOf(0), `${after.ms}-${after.seq}`);
  await send(0);
  t.equal((await read(0, after)).length, 1, 'what is appended now is seen');
});

t.test('a stream behind its position is raised, with and without entries', async (t) => {
  const after = at(Date.now() + 60_000);
  const cursors = [0, 1].map((partition) => ({ partition, after }));
  await repair(cursors.map(({ partition }) => ({ partition, after: START })));
  await send(0);
  t.equal((await read(0, after)).length, 0, 'from the position, the entry cannot be seen');
  t.strictSame(await repair(cursors), [
    [0, 'raised'],
    [1, 'raised'],
  ]);
  await send(0, 1);
  for (const partition of [0, 1]) t.equal((await read(partition, after)).length, 1);
});

t.test('a sound stream is left alone', async (t) => {
  await repair([{ partition: 0, after: START }]);
  await send(0);
  const [frame] = await read(0);
  t.strictSame(await repair([{ partition: 0, after: START }]), [[0, 'sound']]);
  t.equal(await redis.xlen(buildCommandsKey(0)), 1, 'what is not committed stays');
  const after = frame?.position ?? START;
  t.strictSame(await repair([{ partition: 0, after }]), [[0, 'sound']]);
});

t.test('tending that comes late never drops what was appended in between', async (t) => {
  const cursors = [{ partition: 0, after: START }];
  const late = openRedis(server.url, () => {});
  t.teardown(() => {
    late.disconnect();
  });
  await waitUntil('it is connected', 5_000, () => isReady(late));
  // It sees that the stream is missing; then another one makes it, and a command arrives.
  const open = late.pipeline.bind(late);
  late.pipeline = () => {
    const pipeline = open();
    const exec = pipeline.exec.bind(pipeline);
    pipeline.exec = async () => {
      const answers = await exec();
      await repair(cursors);
      t.equal((await send(0)).get(0), 'accepted');
      return answers;
    };
    return pipeline;
  };
  await maintainStreams(late, cursors).catch(() => {});
  t.equal(await redis.xlen(buildCommandsKey(0)), 1, 'what was accepted is still there');
});

t.test('what is committed is dropped, exactly, and the rest is the backlog', async (t) => {
  await repair([{ partition: 0, after: START }]);
  for (let count = 0; count < 5; count += 1) await send(0);
  const all = await read(0);
  const after = all[2]?.position ?? START;
  await maintainStreams(redis, [{ partition: 0, after }]);
  const tended = await maintainStreams(redis, [{ partition: 0, after }]);
  t.match(tended.get(0), { repair: 'sound', backlog: 2 });
  t.strictSame(
    (await read(0)).map(({ position }) => position),
    all.slice(3).map(({ position }) => position),
  );
});

t.test('replies reach their gateway, and nobody else', async (t) => {
  const listen = async (name: string): Promise<Reply[]> => {
    const client = redis.duplicate();
    t.teardown(() => {
      client.disconnect();
    });
    const heard: Reply[] = [];
    await subscribeReplies(client, name, (reply) => heard.push(reply));
    return heard;
  };
  const [mine, theirs] = [await listen(GATEWAY), await listen('gw-other')];
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
  await waitUntil('they are heard', 5_000, () => mine.length > 0);
  t.strictSame(mine, replies);
  t.strictSame(theirs, []);
});

t.test('who makes calls to rails hears which lanes have some', async (t) => {
  const client = openRedis(server.url, () => {});
  t.teardown(() => {
    client.disconnect();
  });
  const heard: unknown[] = [];
  subscribeRailCalls(client, (lanes) => heard.push(lanes && [...lanes]));
  await waitUntil('it listens', 5_000, () => heard.length > 0);
  const railCalls = [
    { rail: 'midtrans', operation: 'charge' },
    { rail: 'xendit', operation: 'refund' },
    { rail: 'midtrans', operation: 'charge' },
  ];
  await publishOutcome(redis, new Map(), NO_WAKES);
  await publishOutcome(redis, new Map(), { hasEvents: true, railCalls });
  await waitUntil('they are heard', 5_000, () => heard.length > 1);
  t.strictSame(heard, [undefined, ['midtrans:charge', 'xendit:refund']], 'at first: any');
});

t.test('a gateway hears again after its connection was lost', async (t) => {
  const proxy = await startProxy(t, server.port);
  const client = openRedis(proxy.through(server.url), () => {});
  t.teardown(() => {
    client.disconnect();
  });
  const heard: Reply[] = [];
  await subscribeReplies(client, GATEWAY, (reply) => heard.push(reply));
  proxy.cut();
  await waitUntil('replies are heard', 5_000, async () => {
    const reply = { correlation: '1', outcome: 'created', body: '{}' };
    await publishOutcome(redis, new Map([[GATEWAY, [reply]]]), NO_WAKES);
    return heard.length > 0;
  });
});
