// A partition loop on real stores, around which a test can put its own timing.
import { BatchLoops, LOOPS } from '#actors/payments/batch-loops.js';
import type { LoopMetrics } from '#actors/payments/loop-metrics.js';
import { openCommandStreams, openPaymentStore, type PaymentStore } from '#actors/payments/ports.js';
import { WAIT_MS, waitUntil } from '#ops/dev/launch/wait-until.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import type { Log } from '#ops/runtime/log.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { type Claim, readClaims } from '#store/postgres/payments/partition-leases.js';
import { isReady, openRedis } from '#store/redis/client.js';
import { ServerFrameReader } from '#store/redis/commands.js';
import { maintainStreams } from '#store/redis/stream-repair.js';
import { COMMAND_KEYS } from '../processes.js';
import type { TestScope } from '../servers.js';

const ignore = (): void => {};

export const SILENT_LOG = { warn: ignore, error: ignore, info: ignore } as unknown as Log;

export const SILENT_METRICS: LoopMetrics = {
  onCommit: ignore,
  onQuarantined: ignore,
  onTakeOver: ignore,
  onRepair: ignore,
  setOwned: ignore,
  setStopped: ignore,
  setDeferred: ignore,
  setBacklog: ignore,
  setStreamsAhead: ignore,
};

export interface LoopOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Replaces functions of the real store. */
  readonly around?: (real: PaymentStore) => Partial<PaymentStore>;
  /** The clocks of the loop's machine and of Redis; both are right unless given. */
  readonly nowMs?: () => number;
  readonly streamNowMs?: () => number | undefined;
}

export interface TestLoop {
  readonly loop: BatchLoops;
  /** Claims the partition under a new epoch, as a process does. */
  readonly claim: (partition: number) => Promise<Claim>;
  readonly readClaims: (partitions: number[]) => Promise<Claim[]>;
  /** Resolves when the loop has ended or failed. */
  readonly ended: Promise<void>;
  /** Rejects when the loop has failed, or does not end in time. */
  readonly stop: () => Promise<void>;
}

/** Starts a loop without partitions. It ends with the test. */
export async function startTestLoop(t: TestScope, options: LoopOptions): Promise<TestLoop> {
  const sql = openPostgres(options.databaseUrl, 'test', 3 + LOOPS);
  const redis = openRedis(options.redisUrl, ignore);
  const readings = Array.from({ length: LOOPS }, () => openRedis(options.redisUrl, ignore));
  await waitUntil('Redis is connected', () => [redis, ...readings].every(isReady));
  const real = openPaymentStore(sql, sql);
  const { nowMs = Date.now, streamNowMs = Date.now } = options;
  const deps = {
    clock: { ...SYSTEM_CLOCK, nowMs },
    streamNowMs,
    streams: openCommandStreams(redis, COMMAND_KEYS),
    store: { ...real, ...options.around?.(real) },
    log: SILENT_LOG,
    metrics: SILENT_METRICS,
    baseUrl: 'http://kasir.test',
    approvalLimitMinor: 0n,
  };
  const loop = new BatchLoops(
    deps,
    readings.map((reading) => new ServerFrameReader({ reading, redis, keys: COMMAND_KEYS })),
  );
  const running = loop.run();
  const ended = running.catch(ignore);
  const stop = async (): Promise<void> => {
    try {
      await runWithDeadline(loop.stop(), WAIT_MS);
    } finally {
      redis.disconnect();
      for (const reading of readings) reading.disconnect();
      await sql.end({ timeout: 1 });
    }
    await runWithDeadline(running, WAIT_MS);
  };
  let stopping: Promise<void> | undefined;
  const stopOnce = (): Promise<void> => (stopping ??= stop());
  t.teardown(() => stopOnce().catch(ignore));
  return {
    loop,
    claim: async (partition) => {
      loop.drop([partition]);
      const claim = await raiseEpoch(sql, partition);
      await maintainStreams(redis, [{ partition, after: claim.position }]);
      loop.adopt([claim]);
      return claim;
    },
    readClaims: (ids) => readClaims(sql, ids),
    ended,
    stop: stopOnce,
  };
}

async function raiseEpoch(sql: Postgres, partition: number): Promise<Claim> {
  await sql`update partitions set epoch = epoch + 1 where id = ${partition}`;
  const [claim] = await readClaims(sql, [partition]);
  if (claim === undefined) throw new Error(`partition ${partition} does not exist`);
  return claim;
}
