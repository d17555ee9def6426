// Random faults under load: workers and Redis are killed, Redis is wiped, streams are deleted, groups destroyed. A seed
// repeats the order of the faults. `npm run test:all` runs few of them, `npm run test:faults:long` the contract's number (50 kills
// of workers, 20 of Redis, 5 of them with a wipe).
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { MAX_IN_FLIGHT } from '#actors/webhooks/deliveries/lane.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { buildReadyKey } from '#store/redis/keys.js';
import { GROUP, PARTITIONS } from '#store/redis/webhooks/delivery-partitions.js';
import { createRandom } from '#test/support/load/random.js';
import { countDeliveries } from '#test/support/webhooks/outbox.js';
import type { Received } from '#test/support/webhooks/receiver.js';
import { startWebhookStage, type WebhookStage } from '#test/support/webhooks/stage.js';

const IS_LONG = process.env['KASIR_FAULTS'] === 'long';
const COUNTS = IS_LONG
  ? { worker: 50, redis: 15, wipe: 5, del: 5, destroy: 5 }
  : { worker: 4, redis: 1, wipe: 1, del: 1, destroy: 1 };
const SEED = Number(process.env['KASIR_SEED'] ?? 20261121);
const PROCESSES = 2;
/** Three times the 5 s that the contract promises. */
const HEALS_MS = 15_000;
const ANSWERS_MS = 40;
/** Requests between two faults, as many as in 200 to 600 ms; the seed chooses the number. */
const MIN_GAP = 40;
const GAP = 80;
const PER_TICK = 10;
const TICK_MS = 50;
/** The receiver has noted requests from before the fault, and workers their responses, after this time. */
const NOTED_MS = 100;
/** Size of an empty stream with the names of dead consumers. */
const STREAM_BYTES = 16 * 1024;

type Fault = keyof typeof COUNTS;

function shuffleFaults(random: () => number): Fault[] {
  const faults = Object.entries(COUNTS).flatMap(([fault, count]) =>
    Array.from({ length: count }, () => ({ fault: fault as Fault, order: random() })),
  );
  return faults.sort((a, b) => a.order - b.order).map(({ fault }) => fault);
}

/** Returns what repairs the fault, if something must. */
async function injectFault(
  stage: WebhookStage,
  fault: Fault,
  random: () => number,
): Promise<(() => Promise<unknown>) | undefined> {
  const { redis, redisClient, processes } = stage;
  const victim = processes[Math.floor(random() * processes.length)];
  switch (fault) {
    case 'worker':
      await victim?.kill();
      return async () => victim?.start();
    case 'redis':
      await redis.restart();
      return undefined;
    case 'wipe':
      await redis.restart({ isWiped: true });
      return undefined;
    case 'del':
      await redisClient.del(...PARTITIONS.map(buildReadyKey));
      return undefined;
    case 'destroy':
      for (const key of PARTITIONS.map(buildReadyKey))
        await redisClient.xgroup('DESTROY', key, GROUP);
      return undefined;
  }
}

/** Adds the events whose success is recorded. */
async function noteRecorded({ sql, receiver }: WebhookStage, recorded: Set<string>): Promise<void> {
  const open = new Set(receiver.received.map(({ id }) => id).filter((id) => !recorded.has(id)));
  const rows = await sql<{ id: string }[]>`
    select event_id as id
      from unnest(split(${[...open].join('\u001f')})) as arrived (id)
      join webhook_deliveries d on d.event_id = arrived.id and d.status = 'delivered'`;
  for (const { id } of rows) recorded.add(id);
}

function countById(requests: Iterable<Received>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { id } of requests) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

async function countPending({ redisClient }: WebhookStage): Promise<number> {
  let pending = 0;
  for (const key of PARTITIONS.map(buildReadyKey)) {
    const [count] = (await redisClient.xpending(key, GROUP)) as [number];
    pending += count + (await redisClient.xlen(key));
  }
  return pending;
}

async function measureLargestStream({ redisClient }: WebhookStage): Promise<number> {
  const sizes = await Promise.all(
    PARTITIONS.map((partition) => redisClient.memory('USAGE', buildReadyKey(partition))),
  );
  return Math.max(...sizes.map(Number));
}

t.test(
  `every event arrives during random faults and only attempts under way are repeated, seed ${SEED}`,
  { timeout: IS_LONG ? 1_800_000 : 240_000 },
  async (t) => {
    const stage = await startWebhookStage(t, { processes: PROCESSES });
    const random = createRandom(SEED);
    const { receiver, sql } = stage;
    // Some requests must be under way at each fault.
    receiver.behave((_received, response) => {
      setTimeout(() => response.writeHead(200).end(), ANSWERS_MS);
    });
    const ids: string[] = [];
    let isOver = false;
    const load = (async () => {
      while (!isOver) {
        ids.push(...(await stage.emit(PER_TICK)));
        await sleep(TICK_MS);
      }
    })();
    const faults = shuffleFaults(random);
    const recorded = new Set<string>();
    /** Requests that were under way at a fault. */
    const underWay = new Set<Received>();
    const struckMs: number[] = [];
    for (const fault of faults) {
      const next = receiver.received.length + MIN_GAP + Math.floor(GAP * random());
      await waitUntil('the next fault is due', () => receiver.received.length >= next);
      await waitUntil('Redis answers', () => stage.redisClient.ping(), HEALS_MS);
      await noteRecorded(stage, recorded);
      const repair = await injectFault(stage, fault, random);
      const before = receiver.received.length;
      struckMs.push(Date.now());
      await sleep(NOTED_MS);
      for (const one of receiver.received) if (!recorded.has(one.id)) underWay.add(one);
      await repair?.();
      await waitUntil(
        `deliveries go on after ${fault}`,
        () => {
          return receiver.received.length > before;
        },
        HEALS_MS,
      );
    }
    isOver = true;
    await load;
    await waitUntil('every event has arrived and is settled', async () => {
      const { delivered = 0 } = await countDeliveries(sql);
      return delivered === ids.length;
    });
    const arrived = new Set(receiver.received.map(({ id }) => id));
    t.strictSame(arrived, new Set(ids), 'every event, and no other request');
    t.comment(
      `${faults.length} faults, ${ids.length} events, ${underWay.size} requests under way at a fault`,
    );
    const more = receiver.received.length - ids.length;
    t.comment(`${more} requests more than events`);
    t.ok(
      more <= faults.length * PROCESSES * MAX_IN_FLIGHT,
      'no more repeats than lanes have attempts under way',
    );
    const [times, cut] = [countById(receiver.received), countById(underWay)];
    const unexplained = [...times].filter(([id, count]) => count - 1 > (cut.get(id) ?? 0));
    for (const [repeated] of unexplained) {
      const came = receiver.received.filter(({ id }) => id === repeated).map(({ atMs }) => atMs);
      const [first = 0] = came;
      const near = struckMs.map((atMs, index) => `${faults[index] ?? ''} ${atMs - first}`);
      t.comment(
        `came ${came.map((atMs) => atMs - first).join(', ')} ms; faults: ${near.join(', ')}`,
      );
    }
    t.strictSame(
      unexplained,
      [],
      'only requests under way at a fault were repeated, once for each fault',
    );
    await waitUntil('nothing is pending', async () => (await countPending(stage)) === 0);
    const bytes = await measureLargestStream(stage);
    t.ok(bytes <= STREAM_BYTES, `streams are small again (${bytes} bytes)`);
  },
);
