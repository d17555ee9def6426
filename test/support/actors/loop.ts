// A partition loop in the hand of a test: with real stores, around which the test can put its own timing.
import { BatchLoop } from '#actors/payments/batch-loop.js';
import type { LoopMetrics } from '#actors/payments/loop-metrics.js';
import type { Clock, CommandStreams, PaymentStore } from '#actors/payments/ports.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { Log } from '#ops/runtime/log.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { type Claim, readClaims } from '#store/postgres/payments/partition-leases.js';
import { commitBatch, probeBatch } from '#store/postgres/payments/commit-batch.js';
import { loadSnapshots } from '#store/postgres/payments/load-snapshots.js';
import { isReady, openRedis } from '#store/redis/client.js';
import { readFrames, maintainStreams } from '#store/redis/commands.js';
import { publishOutcome } from '#store/redis/replies.js';
import type { TestScope } from '../servers.js';

const READ_COUNT = 64;
const READ_BLOCK_MS = 20;
const STOPS_MS = 5_000;

export const clock: Clock = {
  nowMs: Date.now,
  monotonicMs: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

const nothing = (): void => {};

export const silentLog = { warn: nothing, error: nothing, info: nothing } as unknown as Log;

const silentMetrics: LoopMetrics = {
  onCommit: nothing,
  onQuarantined: nothing,
  onTakeOver: nothing,
  onRepair: nothing,
  setOwned: nothing,
  setBacklog: nothing,
};

export interface LoopOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly partitions: number;
  /** Puts something around the real store. */
  readonly around?: (real: PaymentStore) => Partial<PaymentStore>;
  /** Clocks of the loop's machine and of Redis; true ones unless said. */
  readonly nowMs?: () => number;
  readonly streamNowMs?: () => number | undefined;
}

export interface TestLoop {
  readonly loop: BatchLoop;
  /** Takes the partition under a new epoch, as a process does. */
  readonly take: (partition: number) => Promise<Claim>;
  readonly claims: (partitions: number[]) => Promise<Claim[]>;
  /** Resolves when the loop has ended, however it did. */
  readonly ended: Promise<void>;
  /** Ends the loop; rejects when it had ended by itself. */
  readonly stop: () => Promise<void>;
}

/** Starts a loop that owns nothing yet. It ends with the test. */
export async function startLoop(t: TestScope, options: LoopOptions): Promise<TestLoop> {
  const sql = openPostgres(options.databaseUrl, 'test', 3);
  const redis = openRedis(options.redisUrl, nothing);
  const reading = openRedis(options.redisUrl, nothing);
  await waitUntil('it is connected', 5_000, () => isReady(redis) && isReady(reading));
  const streams: CommandStreams = {
    read: (cursors) => readFrames(reading, cursors, READ_COUNT, READ_BLOCK_MS),
    maintain: (cursors) => maintainStreams(redis, cursors),
    answer: (replies, wakes) => publishOutcome(redis, replies, wakes),
  };
  const real = realStore(sql);
  const store = { ...real, ...options.around?.(real) };
  const { partitions } = options;
  const { nowMs = Date.now, streamNowMs = Date.now } = options;
  const loop = new BatchLoop({
    clock: { ...clock, nowMs },
    streamNowMs,
    streams,
    store,
    log: silentLog,
    metrics: silentMetrics,
    partitions,
    baseUrl: 'http://kasir.test',
  });
  const running = loop.run();
  running.catch(nothing);
  let hasStopped = false;
  const stop = async (): Promise<void> => {
    if (hasStopped) return;
    hasStopped = true;
    await waitAtMost(loop.stop());
    redis.disconnect();
    reading.disconnect();
    await sql.end({ timeout: 1 });
    await waitAtMost(running);
  };
  t.teardown(() => stop().catch(nothing));
  return {
    loop,
    take: async (partition) => {
      loop.drop([partition]);
      const claim = await raiseEpoch(sql, partition);
      await maintainStreams(redis, [{ partition, after: claim.position }]);
      loop.adopt([claim]);
      return claim;
    },
    claims: (ids) => readClaims(sql, ids),
    ended: running.catch(nothing),
    stop,
  };
}

/** A loop that never ends its batch is what some tests are there to find. */
async function waitAtMost(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, STOPS_MS);
  });
  await Promise.race([work, late]).finally(() => {
    clearTimeout(timer);
  });
}

export async function raiseEpoch(sql: Postgres, partition: number): Promise<Claim> {
  await sql`update partitions set epoch = epoch + 1 where id = ${partition}`;
  const [claim] = await readClaims(sql, [partition]);
  if (claim === undefined) throw new Error(`there is no partition ${partition}`);
  return claim;
}

function realStore(sql: Postgres): PaymentStore {
  return {
    loadSnapshots: (ids) => loadSnapshots(sql, ids),
    commit: (batch) => commitBatch(sql, batch),
    probe: (batch) => probeBatch(sql, batch),
    readClaims: (partitions) => readClaims(sql, partitions),
  };
}
