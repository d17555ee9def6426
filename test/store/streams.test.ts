// Command streams on a real Redis.
import t from 'tap';
import { parsePosition } from '#actors/core/partition.js';
import { WAIT_MS, waitUntil } from '#ops/dev/launch/wait-until.js';
import { isReady, openRedis } from '#store/redis/client.js';
import {
  type Cursor,
  type ReadFrames,
  readFrames,
  sendFrames,
  ServerFrameReader,
} from '#store/redis/commands.js';
import { type Frame, type FramedCommand, NEWEST_VERSION } from '#store/redis/frames.js';
import { maintainStreams, type StreamRepair } from '#store/redis/stream-repair.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { at } from '../support/actors/batches.js';
import { startProxy } from '../support/peers/proxy.js';
import { startRedis } from '../support/servers.js';

const KEYS = { gateway: [{ key: Buffer.alloc(32, 1) }], rails: [], webhooks: [] };
const SENDER = { name: 'gw-test', source: 'gateway', keys: KEYS.gateway } as const;
const START = at(0, 1);
/** Longer than each wait of the test. */
const NEVER_MS = 2 * WAIT_MS;
const server = await startRedis(t);
const redis = openRedis(server.url, () => {});
t.teardown(() => {
  redis.disconnect();
});
await waitUntil('Redis is connected', () => isReady(redis));

const frames = (...partitions: number[]): Map<number, FramedCommand[]> =>
  new Map(partitions.map((partition) => [partition, [{ correlation: 'c', text: 't' }]]));
const send = (...partitions: number[]) => sendFrames(redis, SENDER, frames(...partitions));
const readBehind = (partition: number, after = START): Promise<ReadFrames> =>
  readFrames(redis, [{ partition, after }], { count: 100, blockMs: 10, keys: KEYS });
const read = async (partition: number, after = START): Promise<Frame[]> =>
  (await readBehind(partition, after)).frames;
const repair = async (cursors: readonly Cursor[]): Promise<[number, StreamRepair][]> =>
  [...(await maintainStreams(redis, cursors))].map(([partition, found]) => [
    partition,
    found.repair,
  ]);
const readLastId = async (partition: number): Promise<string> => {
  const fields = (await redis.xinfo('STREAM', buildCommandsKey(partition))) as string[];
  return fields[fields.indexOf('last-generated-id') + 1] ?? '';
};

t.beforeEach(() => redis.flushall());

t.test('a missing stream refuses a frame and is not created', async (t) => {
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

t.test('commands are read as they were sent, in order', async (t) => {
  await repair([{ partition: 3, after: START }]);
  const commands = [
    { correlation: 'a', text: '{"x":"\\u001f\\u0000é"}' },
    { correlation: '', text: '' },
  ];
  await sendFrames(redis, SENDER, new Map([[3, commands]]));
  await send(3);
  const [first, second, ...others] = await read(3);
  t.match(first, { partition: 3, sender: SENDER.name, source: 'gateway', commands });
  t.match(second, { commands: [{ correlation: 'c', text: 't' }] });
  t.strictSame(others, []);
});

t.test('a frame of a newer version, and what is behind it, is not read', async (t) => {
  await repair([{ partition: 3, after: START }]);
  await send(3);
  const id = await redis.xadd(buildCommandsKey(3), '*', `f${NEWEST_VERSION + 1}`, 'text');
  await send(3);
  const { frames, newer } = await readBehind(3);
  t.equal(frames.length, 1, 'the frame before it');
  t.strictSame([...newer], [], 'it is not the next one yet');
  t.strictSame(await readBehind(3, frames[0]?.position), {
    frames: [],
    newer: new Map([[3, NEWEST_VERSION + 1]]),
  });
  t.equal((await read(3, parsePosition(id ?? ''))).length, 1, 'the frame behind it');
});

t.test(
  'an unready connection refuses a frame; a cut one leaves it unknown, and sends it once',
  async (t) => {
    const proxy = await startProxy(t, server.port);
    const through = openRedis(proxy.through(server.url), () => {});
    t.teardown(() => {
      through.disconnect();
    });
    t.strictSame([...(await sendFrames(through, SENDER, frames(0)))], [[0, 'refused']]);
    await waitUntil('the connection is ready', () => isReady(through));
    await repair([{ partition: 0, after: START }]);
    proxy.swallowReplies();
    const sent = sendFrames(through, SENDER, frames(0));
    await waitUntil(
      'the frame has arrived',
      async () => (await redis.xlen(buildCommandsKey(0))) > 0,
    );
    proxy.cut();
    t.strictSame([...(await sent)], [[0, 'unknown']]);
    proxy.heal();
    await waitUntil('the connection is ready again', () => isReady(through));
    t.equal(await redis.xlen(buildCommandsKey(0)), 1, 'it was not sent again');
  },
);

t.test('a server without memory refuses a frame', async (t) => {
  await repair([{ partition: 0, after: START }]);
  await redis.config('SET', 'maxmemory', '1');
  t.strictSame([...(await send(0))], [[0, 'refused']]);
  await redis.config('SET', 'maxmemory', '0');
});

t.test('a missing stream is made again, with its last id at the position', async (t) => {
  const after = at(Date.now() + 60_000, 5);
  const repairs = await repair([{ partition: 0, after }]);
  t.strictSame(repairs, [[0, 'remade']]);
  t.equal(await redis.xlen(buildCommandsKey(0)), 0);
  t.equal(await readLastId(0), `${after.ms}-${after.seq}`);
  await send(0);
  t.equal((await read(0, after)).length, 1, 'the next frame is read');
});

t.test('a stream behind its position is raised to it, with and without entries', async (t) => {
  const after = at(Date.now() + 60_000);
  const cursors = [0, 1].map((partition) => ({ partition, after }));
  await repair(cursors.map(({ partition }) => ({ partition, after: START })));
  await send(0);
  t.equal((await read(0, after)).length, 0, 'the frame is below the position');
  t.strictSame(await repair(cursors), [
    [0, 'raised'],
    [1, 'raised'],
  ]);
  await send(0, 1);
  for (const partition of [0, 1]) t.equal((await read(partition, after)).length, 1);
});

t.test('a sound stream is not changed', async (t) => {
  await repair([{ partition: 0, after: START }]);
  await send(0);
  const [frame] = await read(0);
  t.strictSame(await repair([{ partition: 0, after: START }]), [[0, 'sound']]);
  t.equal(await redis.xlen(buildCommandsKey(0)), 1, 'a frame that is not committed stays');
  const after = frame?.position ?? START;
  t.strictSame(await repair([{ partition: 0, after }]), [[0, 'sound']]);
});

t.test('a late repair never trims a frame that was appended meanwhile', async (t) => {
  const cursors = [{ partition: 0, after: START }];
  const late = openRedis(server.url, () => {});
  t.teardown(() => {
    late.disconnect();
  });
  await waitUntil('it is connected', () => isReady(late));
  // `late` finds the stream missing. Before it repairs, another repair makes the stream, and a frame is appended.
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
  t.equal(await redis.xlen(buildCommandsKey(0)), 1, 'the accepted frame is still there');
});

t.test(
  'the backlog begins behind the position, and frames are trimmed as far as asked',
  async (t) => {
    await repair([{ partition: 0, after: START }]);
    for (let count = 0; count < 5; count += 1) await send(0);
    const all = await read(0);
    const after = all[2]?.position ?? START;
    const [first] = all;
    await maintainStreams(redis, [{ partition: 0, after }]);
    t.equal((await read(0)).length, 5, 'committed frames are read again from an earlier position');
    await waitUntil('the next frame is some milliseconds old', async () => {
      const streams = [{ partition: 0, after, trimTo: first?.position }];
      const conditions = await maintainStreams(redis, streams);
      return (conditions.get(0)?.backlogMs ?? 0) > 5;
    });
    t.strictSame(
      (await read(0)).map(({ position }) => position),
      all.slice(1).map(({ position }) => position),
    );
    const last = all[4]?.position ?? START;
    const conditions = await maintainStreams(redis, [{ partition: 0, after: last }]);
    t.match(conditions.get(0), { repair: 'sound', backlogMs: 0 }, 'kept frames are no backlog');
  },
);

t.test(
  'an interrupted read ends at once without frames, and the next one waits again',
  async (t) => {
    const reading = openRedis(server.url, () => {});
    t.teardown(() => {
      reading.disconnect();
    });
    await waitUntil('Redis is connected', () => isReady(reading));
    const reader = new ServerFrameReader({ reading, redis, keys: KEYS });
    const cursors: Cursor[] = [{ partition: 7, after: START }];
    await reader.read(cursors, 1);
    await reader.interrupt();
    let interrupted: Frame[] | undefined;
    const waiting = reader.read(cursors, NEVER_MS).then(({ frames }) => (interrupted = frames));
    await reader.interrupt();
    await waitUntil('the read has ended long before its time', () => interrupted !== undefined);
    t.strictSame(await waiting, []);
    await repair([{ partition: 7, after: START }]);
    const next = reader.read(cursors, NEVER_MS);
    const frame = new Map([[7, [{ correlation: '', text: 'later' }]]]);
    t.strictSame([...(await sendFrames(redis, SENDER, frame)).values()], ['accepted']);
    t.equal((await next).frames.length, 1, 'a late end of the wait before does not end this one');
  },
);

t.test(
  'a read of large frames is bounded by their characters, whoever owned them before',
  async (t) => {
    const count = 48;
    const megabyte = 'x'.repeat(1024 * 1024);
    const fill = async (partition: number, text: string): Promise<void> => {
      await repair([{ partition, after: START }]);
      const frame = new Map([[partition, [{ correlation: '', text }]]]);
      for (let sent = 0; sent < count; sent += 1) await sendFrames(redis, SENDER, frame);
    };
    const reader = new ServerFrameReader({ reading: redis, redis, keys: KEYS });
    const cursors: Cursor[] = [{ partition: 0, after: START }];
    const readAll = async (): Promise<number[]> => {
      const reads: number[] = [];
      for (;;) {
        const { frames } = await reader.read(cursors, 10);
        if (frames.length === 0) return reads;
        reads.push(frames.length);
        for (const { partition, position } of frames) {
          const cursor = cursors.find((one) => one.partition === partition);
          if (cursor) cursor.after = position;
        }
      }
    };
    await fill(0, megabyte);
    t.strictSame(await readAll(), [1, 2, 4, 8, 8, 8, 8, 8, 1], 'megabytes');
    await fill(0, 'small');
    t.strictSame(await readAll(), [8, 16, 24], 'the count grows by small frames');
    cursors.push({ partition: 1, after: START });
    await fill(1, megabyte);
    t.equal((await readAll())[0], 1, 'a partition that it did not read before begins with one');
  },
);
