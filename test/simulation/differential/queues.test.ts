// The model of the queues of deliveries answers as a real Redis: the same random operations on both, through the functions
// that the service uses, and the single commands that its scripts call. Entries have ids of their own on each side.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { isReady, openRedis, readTime, type RedisClient } from '#store/redis/client.js';
import {
  buildDueKey,
  buildHeldKey,
  buildLanesKey,
  buildOverflowKey,
  buildReadyKey,
} from '#store/redis/keys.js';
import * as partitions from '#store/redis/webhooks/delivery-partitions.js';
import * as due from '#store/redis/webhooks/due-list.js';
import { joinProcesses, leaveProcesses } from '#store/redis/webhooks/processes.js';
import * as ready from '#store/redis/webhooks/ready-entries.js';
import * as leases from '#store/redis/webhooks/ready-leases.js';
import { startRedis } from '#test/support/servers.js';
import { type Chance, createChance } from '../world/chance.js';
import { answer, SEEDS } from './answer.js';
import { openModelClient } from './model-client.js';

const OPERATIONS = 150;
const HOUR_MS = 3_600_000;
const DELAYS_MS = [0, 0, HOUR_MS];
const CONSUMERS = ['one', 'two'];
const ENDPOINTS = ['we_a', 'we_b', 'we_c'];
/** Three endpoints are in few partitions. */
const USED = [...new Set(ENDPOINTS.map(partitions.findDeliveryPartition))];

const server = await startRedis(t);
const redis = openRedis(server.url, () => {});
await waitUntil('Redis is connected', () => isReady(redis));
t.teardown(() => {
  redis.disconnect();
});

/** One of the two, with the entries that its consumers have read. */
interface Side {
  readonly client: RedisClient;
  readonly entries: Map<string, ready.ReadyEntry>;
}

type Operation = (side: Side) => Promise<unknown>;

const remember = (side: Side, entries: readonly ready.ReadyEntry[]): string[] => {
  for (const entry of entries) side.entries.set(entry.deliveryId, entry);
  return entries.map(({ deliveryId, wasDeferred }) => `${deliveryId} ${wasDeferred}`);
};

/** Entries that each side knows, of the same deliveries. */
const pickEntries = (side: Side, ids: readonly string[]): ready.ReadyEntry[] =>
  ids.flatMap((id) => side.entries.get(id) ?? []);

const pickIds = (chance: Chance): string[] =>
  Array.from({ length: chance.between(1, 4) }, () => `del_${chance.below(12)}`);

/** A delivery always has the same endpoint. */
const buildKey = (id: string): ready.DeliveryKey => ({
  id,
  endpointId: ENDPOINTS[Number(id.slice(4)) % ENDPOINTS.length] ?? '',
});

const OUTCOMES: readonly ((entry: ready.ReadyEntry, delayMs: number) => ready.EntryOutcome)[] = [
  (entry) => ({ entry, step: 'done' }),
  (entry, dueInMs) => ({ entry, step: 'retry', dueInMs }),
  (entry, dueInMs) => ({ entry, step: 'returned', dueInMs }),
  (entry, returnInMs) => ({ entry, step: 'deferred', returnInMs }),
  (entry) => ({ entry, step: 'dead', reason: 'http_410' }),
];

const OPERATIONS_OF_QUEUES: readonly ((chance: Chance) => Operation)[] = [
  (chance) => {
    const keys = pickIds(chance).map(buildKey);
    return ({ client }) => ready.enqueueDeliveries(client, keys);
  },
  (chance) => {
    const consumer = chance.pick(CONSUMERS);
    const range = { partitions: USED, count: chance.between(1, 3) };
    return async (side) => {
      return remember(side, await leases.readReady(side.client, consumer, range, 1));
    };
  },
  (chance) => {
    const consumer = chance.pick(CONSUMERS);
    return async (side) => remember(side, await leases.readOwn(side.client, consumer, 20));
  },
  (chance) => {
    const [consumer, ids] = [chance.pick(CONSUMERS), [...new Set(pickIds(chance))]];
    const [build, delayMs] = [chance.pick(OUTCOMES), chance.pick(DELAYS_MS)];
    return (side) => {
      const outcomes = pickEntries(side, ids).map((entry) => build(entry, delayMs));
      return ready.finishEntries(side.client, consumer, outcomes);
    };
  },
  (chance) => {
    const [consumer, ids] = [chance.pick(CONSUMERS), pickIds(chance)];
    return async (side) => {
      const entries = pickEntries(side, ids);
      const lost = await leases.renewEntries(side.client, consumer, entries);
      return entries.map((entry) => lost.has(ready.formatPlace(entry)));
    };
  },
  (chance) => {
    const [consumer, leaseMs] = [chance.pick(CONSUMERS), chance.pick([0, HOUR_MS])];
    const range = { partitions: USED, count: chance.between(1, 3) };
    return async (side) => {
      return remember(side, await leases.claimStale(side.client, consumer, leaseMs, range));
    };
  },
  (chance) => {
    const returnMs = chance.pick(DELAYS_MS);
    return async ({ client }) => {
      const { nextInMs, deferredLanes } = await due.moveDue(client, USED, returnMs);
      // The two have different moments.
      return [nextInMs === null ? null : nextInMs > HOUR_MS / 2, deferredLanes];
    };
  },
  (chance) => {
    const [endpoint, count] = [chance.pick(ENDPOINTS), chance.between(1, 3)];
    const returnMs = chance.pick(DELAYS_MS);
    return ({ client }) => due.fetchDeferred(client, endpoint, count, returnMs);
  },
  () => (side) => due.countQueued(side.client),
  (chance) => {
    const list = chance.happens(0.7) ? USED : partitions.PARTITIONS;
    return ({ client }) => partitions.repairDeliveries(client, list);
  },
  (chance) => {
    const consumer = chance.pick(CONSUMERS);
    return ({ client }) => partitions.leaveGroup(client, consumer).then(() => null);
  },
  (chance) => {
    const idleMs = chance.pick([-1, HOUR_MS]);
    // A read that finds nothing makes a consumer since Redis 7.2 only, so the counts are not compared.
    return ({ client }) => partitions.dropConsumers(client, idleMs).then(() => null);
  },
  (chance) => {
    const name = chance.pick(CONSUMERS);
    return async ({ client }) => (await joinProcesses(client, name, HOUR_MS)).sort();
  },
  (chance) => {
    const name = chance.pick(CONSUMERS);
    return ({ client }) => leaveProcesses(client, name);
  },
  (chance) => {
    const name = chance.pick(CONSUMERS);
    return ({ client }) => partitions.leadReconciling(client, name, HOUR_MS);
  },
  (chance) => {
    const endpoint = chance.pick(ENDPOINTS);
    const key = buildOverflowKey(partitions.findDeliveryPartition(endpoint));
    return ({ client }) => client.hincrby(key, endpoint, 1);
  },
  (chance) => {
    const endpoint = chance.pick(ENDPOINTS);
    return async ({ client }) => {
      const overflow = await due.readOverflow(client, endpoint);
      await due.settleOverflow(client, endpoint, overflow ?? '1');
      return overflow;
    };
  },
  loseData,
];

const KEYS = [buildHeldKey, buildDueKey, buildLanesKey, buildReadyKey, buildOverflowKey];

/** Redis has lost a key, an entry, or everything. */
function loseData(chance: Chance): Operation {
  const partition = chance.pick(USED);
  const [id, kind] = [`del_${chance.below(12)}`, chance.below(12)];
  if (kind === 0) return ({ client }) => client.flushall();
  if (kind < 4) {
    const key = chance.pick(KEYS)(partition);
    return ({ client }) => client.del(key);
  }
  return async (side) => {
    const entry = side.entries.get(id);
    if (entry === undefined) return 0;
    return side.client.xdel(buildReadyKey(entry.partition), entry.entryId);
  };
}

/** To the driver Redis answers pairs, and numbers as numbers; to scripts, as the model answers, a list of texts. */
const flatten = (reply: unknown): string[] => [reply].flat(3).map(String);

const COMMANDS: readonly ((chance: Chance) => Operation)[] = [
  (chance) => {
    const [score, member] = [chance.below(9), `m${chance.below(9)}`];
    const flag = chance.pick(['NX', 'XX', 'GT', 'LT'] as const);
    const words = chance.happens(0.5) ? [score, member] : [flag, score, member];
    return ({ client }) => client.call('ZADD', 'scores', ...words);
  },
  (chance) => {
    const [from, to] = [chance.between(-9, 9), chance.between(-9, 9)];
    return ({ client }) => client.call('ZRANGE', 'scores', from, to, 'WITHSCORES').then(flatten);
  },
  (chance) => {
    const [to, count] = [chance.below(9), chance.between(1, 4)];
    const range = ['-inf', to, 'BYSCORE', 'LIMIT', 0, count];
    return ({ client }) => client.call('ZRANGE', 'scores', ...range);
  },
  (chance) => {
    const count = chance.between(1, 3);
    return ({ client }) => client.zpopmin('scores', count).then(flatten);
  },
  (chance) => {
    const from = chance.between(-4, 4);
    return ({ client }) => client.zremrangebyrank('scores', from, -1);
  },
  (chance) => {
    const [from, to] = [`(${chance.below(9)}`, chance.pick(['+inf', '(5', '5'])];
    return ({ client }) => client.zremrangebyscore('scores', from, to);
  },
  () =>
    async ({ client }) => [await client.zcard('scores'), await client.exists('scores')],
];

/** Each operation has a millisecond of its own, so that both sides have the same order of times. */
async function waitForNextMs(sinceMs: number): Promise<number> {
  for (;;) {
    const nowMs = Math.floor(await readTime(redis));
    if (nowMs > sinceMs) return nowMs;
  }
}

t.test('the model of the queues answers as Redis', async (t) => {
  for (let seed = 1; seed <= SEEDS / 2; seed += 1) {
    await redis.flushall();
    const chance = createChance(seed);
    const clock = { ms: 0 };
    const real: Side = { client: redis, entries: new Map() };
    const model: Side = { client: openModelClient(() => clock.ms), entries: new Map() };
    for (let count = 0; count < OPERATIONS; count += 1) {
      const operation = chance.pick(chance.happens(0.8) ? OPERATIONS_OF_QUEUES : COMMANDS)(chance);
      clock.ms = await waitForNextMs(clock.ms);
      const expected = await answer(() => operation(real), nameRedisError);
      const found = await answer(() => operation(model), nameRedisError);
      if (!t.strictSame(found, expected, `seed ${seed}, operation ${count}`)) return;
    }
  }
});

/** Without the place in the script that a real Redis appends. */
const nameRedisError = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/ script: .*$/, '') : '';
