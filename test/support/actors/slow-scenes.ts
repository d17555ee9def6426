// A loop of payments on real Redis and Postgres, where the statements of some payments take long.
import type { Test } from 'tap';
import { makeId, type PaymentId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { isReady, openRedis, type RedisClient } from '#store/redis/client.js';
import { sendFrames } from '#store/redis/commands.js';
import { maintainStreams } from '#store/redis/stream-repair.js';
import { COMMAND_KEYS } from '../processes.js';
import { createDatabase, startRedis } from '../servers.js';
import { at } from './batches.js';
import { encodeCreate, generatePaymentIdIn, openRawSender, type RawSender } from './commands.js';
import { type LoopOptions, startTestLoop, type TestLoop } from './loop.js';

export const PARTITIONS = 2;
export const FRAME_COMMANDS = 16;
export const MERCHANT = makeId('mer', Buffer.alloc(16, 1));
export const generateId = (): PaymentId => generatePaymentIdIn(0, PARTITIONS);

export interface Scene {
  readonly sql: Postgres;
  readonly sender: RawSender;
  /** A loop that owns nothing yet. */
  readonly startLoop: (around?: LoopOptions['around']) => Promise<TestLoop>;
  /** Inserts and updates of payments take so long while they match the condition. */
  readonly slowDown: (seconds: number, condition: string) => Promise<void>;
  readonly countRows: (table: string) => Promise<number>;
  readonly readStatus: (id: PaymentId) => Promise<string | undefined>;
}

export interface SlowScenes {
  readonly redis: RedisClient;
  /** Empties Redis, and makes a database. */
  readonly openScene: (t: Test) => Promise<Scene>;
}

export async function startSlowScenes(t: Test): Promise<SlowScenes> {
  const server = await startRedis(t);
  const redis = openRedis(server.url, () => {});
  await waitUntil('Redis is connected', () => isReady(redis));
  t.teardown(() => {
    redis.disconnect();
  });
  return { redis, openScene: (one) => openScene(one, redis, server.url) };
}

async function openScene(t: Test, redis: RedisClient, redisUrl: string): Promise<Scene> {
  await redis.flushall();
  const databaseUrl = await createDatabase(t);
  const sql = openPostgres(databaseUrl, 'test', 3);
  t.teardown(() => sql.end({ timeout: 1 }));
  await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });
  await maintainStreams(redis, [{ partition: 0, after: at(0, 1) }]);
  return {
    sql,
    sender: await openRawSender(t, redis),
    startLoop: (around) =>
      startTestLoop(t, {
        ...{ databaseUrl, redisUrl },
        ...(around && { around }),
      }),
    slowDown: async (seconds, condition) => {
      await sql.unsafe(`
        create or replace function be_slow() returns trigger language plpgsql as $$
        begin
          perform pg_sleep(${seconds});
          return new;
        end $$;
        create or replace trigger slow before insert or update on payments
          for each row when (${condition}) execute function be_slow()`);
    },
    countRows: async (table) => (await sql`select 1 from ${sql(table)}`).length,
    readStatus: async (id) => {
      const [row] = await sql<{ status: string }[]>`select status from payments where id = ${id}`;
      return row?.status;
    },
  };
}

/** Appends frames of creates to partition 0. */
export async function appendCreates(
  redis: RedisClient,
  count: number,
  size: number,
  reference = (index: number) => `r ${index}`,
): Promise<void> {
  const sender = { name: 'gw', source: 'gateway', keys: COMMAND_KEYS.gateway } as const;
  const commands = Array.from({ length: count }, (_, index) => {
    return { correlation: '', text: encodeCreate(generateId(), MERCHANT, reference(index)) };
  });
  for (let first = 0; first < count; first += size) {
    await sendFrames(redis, sender, new Map([[0, commands.slice(first, first + size)]]));
  }
}
