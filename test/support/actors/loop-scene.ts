// A partition loop that owns all partitions of an empty installation, on a real Redis and Postgres.
import type { Test } from 'tap';
import { makeId, type PaymentId } from '#actors/core/ids.js';
import type { PaymentStore } from '#actors/payments/ports.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { isReady, openRedis, type RedisClient } from '#store/redis/client.js';
import { createDatabase, startRedis, type TestScope } from '../servers.js';
import { encodeCreate, generatePaymentIdIn, openRawSender, type RawSender } from './commands.js';
import { type LoopOptions, startTestLoop, type TestLoop } from './loop.js';

export const PARTITIONS = 2;
export const MERCHANT = makeId('mer', Buffer.alloc(16, 1));
export const generateId = (partition: number): PaymentId =>
  generatePaymentIdIn(partition, PARTITIONS);

export interface SceneRedis {
  readonly redis: RedisClient;
  readonly redisUrl: string;
}

/** A Redis of its own for the tests of a file. */
export async function openSceneRedis(t: TestScope): Promise<SceneRedis> {
  const { url: redisUrl } = await startRedis(t);
  const redis = openRedis(redisUrl, () => {});
  await waitUntil('Redis is connected', () => isReady(redis));
  t.teardown(() => {
    redis.disconnect();
  });
  return { redis, redisUrl };
}

export interface LoopScene extends TestLoop {
  readonly sender: RawSender;
  readonly sql: Postgres;
  /** Another loop on the same partitions. */
  readonly other: () => Promise<TestLoop>;
  readonly create: (partition: number) => Promise<PaymentId>;
  readonly readStatus: (id: PaymentId) => Promise<string | undefined>;
  readonly countTransitions: () => Promise<number>;
}

/** A loop that owns both partitions of an empty installation. */
export async function openLoopScene(
  t: Test,
  { redis, redisUrl }: SceneRedis,
  around: (real: PaymentStore) => Partial<PaymentStore> = () => ({}),
  clocks: Pick<LoopOptions, 'nowMs' | 'streamNowMs'> = {},
): Promise<LoopScene> {
  await redis.flushall();
  const databaseUrl = await createDatabase(t);
  const sql = openPostgres(databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });
  const options = { databaseUrl, redisUrl };
  const running = await startTestLoop(t, { ...options, ...clocks, around });
  const sender = await openRawSender(t, redis);
  await running.claim(0);
  await running.claim(1);
  return {
    ...running,
    sender,
    sql,
    other: () => startTestLoop(t, options),
    create: async (partition) => {
      const id = generateId(partition);
      t.strictSame(await sender.send(partition, [encodeCreate(id, MERCHANT, id)]), ['created']);
      return id;
    },
    readStatus: async (id) => {
      const [row] = await sql<{ status: string }[]>`select status from payments where id = ${id}`;
      return row?.status;
    },
    countTransitions: async () =>
      Number((await sql`select sum(version) from payments`)[0]?.sum ?? 0),
  };
}
