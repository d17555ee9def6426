// Does what waits make the work slower? Each step of the mover and of a worker in Redis, with a few entries waiting
// in one partition's due-list and in one lane's list, and with as many as they may have. A step that scanned would take
// many times as long; one that finds its place in a sorted set takes a little longer.
import type { Row } from '../figures/row.js';
import { formatCount, median } from '../figures/statistics.js';
import { waitUntilReady, openRedis, type RedisClient } from '#store/redis/client.js';
import { buildDeferredKey, buildDueKey, buildLanesKey } from '#store/redis/keys.js';
import { fetchDeferred, moveDue } from '#store/redis/webhooks/due-list.js';
import {
  findDeliveryPartition,
  repairDeliveries,
  PARTITIONS,
} from '#store/redis/webhooks/delivery-partitions.js';
import { enqueueDeliveries, finishEntries } from '#store/redis/webhooks/ready-entries.js';
import { readReady } from '#store/redis/webhooks/ready-leases.js';
import { MAX_DEFERRED, MAX_DUE } from '#store/redis/webhooks/queue-bounds.js';
import { startServers } from '../stage/servers.js';

const FEW = 64;
const MANY = MAX_DUE;
const ROUNDS = 300;
const MOVED = 16;
const ADDED_AT_ONCE = 2_000;
const READY_MS = 5_000;
const FAR_MS = 3_600_000;
const MOST = 2;
/** One whose list is long, and one that takes what it gets; both of one partition. */
const BUSY = 'we_busy';
const LIVELY = findNeighbour();

function findNeighbour(): string {
  for (let n = 0; ; n += 1) {
    if (findDeliveryPartition(`we_${n}`) === findDeliveryPartition(BUSY)) return `we_${n}`;
  }
}

const STEPS = ['nothing is due', `${MOVED} are due`, 'taken and put off', 'fetched'] as const;
type Step = (typeof STEPS)[number];

export async function benchWaiting(): Promise<Row[]> {
  const servers = await startServers();
  const redis = openRedis(servers.redis.url, () => {});
  try {
    await waitUntilReady(redis, READY_MS);
    const few = await measure(redis, FEW);
    const many = await measure(redis, MANY);
    return STEPS.map((step) => {
      const ratio = (many.get(step) ?? NaN) / (few.get(step) ?? NaN);
      return {
        bench: `with ${formatCount(MANY)} waiting: ${step}`,
        control: `${Math.round(few.get(step) ?? NaN)} µs with ${formatCount(FEW)}`,
        service: `${Math.round(many.get(step) ?? NaN)} µs`,
        result: `${ratio.toFixed(1)} ×`,
        target: `≤ ${MOST} ×`,
        isMet: ratio <= MOST,
      };
    });
  } finally {
    redis.disconnect();
    await servers.stop();
  }
}

/** Medians in microseconds, from the call to the answer. */
async function measure(redis: RedisClient, waiting: number): Promise<Map<Step, number>> {
  await redis.flushall();
  await repairDeliveries(redis);
  await letWait(redis, waiting);
  const times = new Map<Step, number[]>(STEPS.map((step) => [step, []]));
  const time = async <T>(step: Step, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const answer = await work();
    times.get(step)?.push((performance.now() - began) * 1_000);
    return answer;
  };
  for (let round = 0; round < ROUNDS; round += 1) await work(redis, round, time);
  const found = new Map([...times].map(([step, all]) => [step, median(all)] as const));
  console.log(`  ${formatCount(waiting)} waiting, µs:`, Object.fromEntries(found));
  return found;
}

type Time = <T>(step: Step, work: () => Promise<T>) => Promise<T>;

async function work(redis: RedisClient, round: number, time: Time): Promise<void> {
  const nowMs = Date.now();
  await time('nothing is due', () => moveDue(redis, PARTITIONS, FAR_MS));
  const due = buildDueKey(findDeliveryPartition(LIVELY));
  const members = Array.from({ length: MOVED }, (_, n) => `${LIVELY} del_${round}_${n}`);
  await redis.zadd(due, ...members.flatMap((member) => [nowMs - 1, member]));
  await time(`${MOVED} are due`, () => moveDue(redis, PARTITIONS, FAR_MS));
  await time('taken and put off', async () => {
    const entries = await readReady(redis, 'bench', { partitions: PARTITIONS, count: MOVED }, 1);
    await finishEntries(
      redis,
      'bench',
      entries.map((entry) => ({ entry, step: 'retry', dueInMs: FAR_MS })),
    );
  });
  await time('fetched', () => fetchDeferred(redis, BUSY, MOVED, FAR_MS));
  const fetched = await readReady(redis, 'bench', { partitions: PARTITIONS, count: MOVED }, 1);
  const again = fetched.map((entry) => ({ entry, step: 'deferred', returnInMs: 0 }) as const);
  await finishEntries(redis, 'bench', again);
  await enqueueDeliveries(redis, [{ id: `del_new_${round}`, endpointId: BUSY }]);
}

/** So many in the due-list, and so many in the list of a lane. */
async function letWait(redis: RedisClient, count: number): Promise<void> {
  const partition = findDeliveryPartition(BUSY);
  const atMs = Date.now() + 24 * FAR_MS;
  await redis.zadd(buildLanesKey(partition), atMs, BUSY);
  for (let from = 0; from < count; from += ADDED_AT_ONCE) {
    const numbers = Array.from(
      { length: Math.min(ADDED_AT_ONCE, count - from) },
      (_, n) => from + n,
    );
    const words = (prefix: string) => numbers.flatMap((n) => [atMs + n, `${prefix}del_${n}`]);
    await redis.zadd(buildDueKey(partition), ...words('we_far '));
    if (from > 0) continue;
    await redis.zadd(buildDeferredKey(partition, BUSY), ...words('').slice(0, 2 * MAX_DEFERRED));
  }
}
