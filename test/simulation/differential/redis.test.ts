// The model of Redis answers as the real one does: the same random operations on both, through the functions that the
// service uses. A model that is kinder than its original would hide faults from every seed.
import t from 'tap';
import { formatPosition, parsePosition, type Position } from '#actors/core/partition.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { isReady, openRedis, type RedisClient } from '#store/redis/client.js';
import { findMissingFrames, readFrames, sendFrames } from '#store/redis/commands.js';
import { maintainStreams } from '#store/redis/stream-repair.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { at } from '#test/support/actors/batches.js';
import { COMMAND_KEYS } from '#test/support/processes.js';
import { startRedis } from '#test/support/servers.js';
import { type Chance, createChance } from '../world/chance.js';
import { answer, listPartitions, OPERATIONS, PARTITIONS, SEEDS } from './answer.js';
import { openModelClient } from './model-client.js';

const SENDER = { name: 'gw', source: 'gateway', keys: COMMAND_KEYS.gateway } as const;

const server = await startRedis(t);
const redis = openRedis(server.url, () => {});
await waitUntil('Redis is connected', () => isReady(redis));
t.teardown(() => {
  redis.disconnect();
});

interface RedisPair {
  readonly chance: Chance;
  readonly model: RedisClient;
  /** The real server chooses ids by its clock: the model's clock follows it to the newest id of a stream. */
  readonly followClock: (key: string) => Promise<void>;
  /** The stream to which the operation appends; empty: none. */
  sentTo: string;
  readonly positions: Position[];
}

function openRedisPair(seed: number): RedisPair {
  const clock = { ms: Date.now() };
  return {
    chance: createChance(seed),
    model: openModelClient(() => clock.ms),
    positions: [at(0, 1), at(5, 5)],
    sentTo: '',
    followClock: async (key) => {
      const info = (await redis.xinfo('STREAM', key).catch(() => [])) as unknown[];
      const lastId = info[info.indexOf('last-generated-id') + 1];
      if (typeof lastId === 'string') clock.ms = Number(parsePosition(lastId).ms);
    },
  };
}

type RedisOperation = (client: RedisClient) => Promise<unknown>;

/** Each returns what to do on both, and remembers positions that make good cursors. */
const REDIS_OPERATIONS: readonly ((pair: RedisPair) => RedisOperation)[] = [
  (pair) => {
    const { chance } = pair;
    const partition = chance.below(PARTITIONS);
    pair.sentTo = buildCommandsKey(partition);
    const text = `command ${chance.below(1_000)}`;
    return (client) =>
      sendFrames(client, SENDER, new Map([[partition, [{ correlation: 'c', text }]]]));
  },
  ({ chance, positions }) => {
    const cursors = listPartitions().map((partition) => ({
      partition,
      after: chance.pick(positions),
    }));
    const reading = { count: chance.between(1, 5), blockMs: 1, keys: COMMAND_KEYS };
    return (client) => readFrames(client, cursors, reading);
  },
  ({ chance, positions }) => {
    const cursor = { partition: chance.below(PARTITIONS), after: chance.pick(positions) };
    const trimTo = chance.happens(0.5) ? undefined : chance.pick(positions);
    // The age of the backlog depends on the moment.
    return async (client) =>
      (await maintainStreams(client, [{ ...cursor, trimTo }])).get(cursor.partition)?.repair;
  },
  ({ chance, positions }) => {
    const key = buildCommandsKey(chance.below(PARTITIONS));
    const position = formatPosition(chance.pick(positions));
    return (client) => client.call('XSETID', key, position);
  },
  ({ chance, positions }) => {
    const key = buildCommandsKey(chance.below(PARTITIONS));
    const position = formatPosition(chance.pick(positions));
    return async (client) => {
      const remade = client.multi().xadd(key, position, 'x', 'x').xtrim(key, 'MINID', position);
      return (await remade.exec())?.map(([error, value]) => error?.message ?? value);
    };
  },
  ({ chance, positions }) => {
    const frames = new Map([[chance.below(PARTITIONS), chance.pick(positions)]]);
    return async (client) => [...(await findMissingFrames(client, frames))];
  },
  ({ chance }) =>
    chance.happens(0.1)
      ? (client) => client.flushall()
      : (client) => client.xtrim('none', 'MINID', 1),
];

t.test('the model of Redis answers as Redis', async (t) => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    await redis.flushall();
    const pair = openRedisPair(seed);
    for (let count = 0; count < OPERATIONS; count += 1) {
      pair.sentTo = '';
      const operation = pair.chance.pick(REDIS_OPERATIONS)(pair);
      const expected = await answer(() => operation(redis), nameRedisError);
      if (pair.sentTo !== '') await pair.followClock(pair.sentTo);
      const found = await answer(() => operation(pair.model), nameRedisError);
      if (!t.strictSame(found, expected, `seed ${seed}, operation ${count}`)) return;
      await rememberPositions(pair);
    }
  }
});

const nameRedisError = (error: unknown): string => (error instanceof Error ? error.message : '');

/** The ids of the newest entries, the places behind them, and a place in the future. */
async function rememberPositions({ positions }: RedisPair): Promise<void> {
  for (const partition of listPartitions()) {
    const [entry] = await redis.xrevrange(buildCommandsKey(partition), '+', '-', 'COUNT', 1);
    if (entry === undefined) continue;
    const id = parsePosition(entry[0]);
    positions.push(id, { ms: id.ms, seq: id.seq + 1n }, { ms: id.ms + 60_000n, seq: 0n });
  }
  positions.splice(2, Math.max(0, positions.length - 20));
}
