// The payments process: owns a share of the partitions and is the only writer of their payments.
// Wiring only, from top to bottom.
import { nanoid } from 'nanoid';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import { startProcess } from '#ops/runtime/process.js';
import { BY_KEY, closePostgres, openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/installation.js';
import * as leases from '#store/postgres/payments/partition-leases.js';
import { commitBatch, probeBatch } from '#store/postgres/payments/commit-batch.js';
import { loadSnapshots } from '#store/postgres/payments/load-snapshots.js';
import { openRedis, readTime } from '#store/redis/client.js';
import { readFrames, maintainStreams } from '#store/redis/commands.js';
import { publishOutcome } from '#store/redis/replies.js';
import { BatchLoop } from './batch-loop.js';
import { LeaseKeeper } from './lease-keeper.js';
import { createLoopMetrics } from './loop-metrics.js';
import type { Clock, CommandStreams } from './ports.js';
import { HEARD_WITHIN_MS, StreamClock } from './stream-clock.js';
import { startStreamGuard } from './stream-guard.js';

const READ_COUNT = 64;
/** Short, since a partition is handed over between two reads. */
const READ_BLOCK_MS = 40;
/** Two of each: one that the network swallowed must not stop the next statement. */
const CONNECTIONS = 2;
/** Beyond the server's own bound on a statement: only a dead connection takes so long. */
const STATEMENT_DEADLINE_MS = 5_000;

const { config, log, lifecycle, registry } = await startProcess('payments');
/** Others must have had the time to notice and to tell that they do not hear Redis either. */
const settledMs = config.leaseMs + HEARD_WITHIN_MS;

const name = `payments-${process.pid}-${nanoid(8)}`;
const commits = openPostgres(config.databaseUrl, 'commits', CONNECTIONS, { plans: BY_KEY });
const reads = openPostgres(config.databaseUrl, 'payments reads', CONNECTIONS, { plans: BY_KEY });
const leasing = openPostgres(config.databaseUrl, 'leases', CONNECTIONS);
lifecycle.onStop('postgres', () => Promise.all([commits, reads, leasing].map(closePostgres)));
await checkInstallation(leasing, { partitions: config.partitions, idKey: config.idKey });

const onRedisError = (error: Error): void => {
  log.warn({ err: error }, 'redis');
};
const redis = openRedis(config.redisUrl, onRedisError);
const reading = openRedis(config.redisUrl, onRedisError);
lifecycle.onStop('redis', () => {
  redis.disconnect();
  reading.disconnect();
});

const bounded = <Value>(statement: Promise<Value>): Promise<Value> =>
  runWithDeadline(statement, STATEMENT_DEADLINE_MS);
const clock: Clock = {
  nowMs: Date.now,
  monotonicMs: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const streams: CommandStreams = {
  read: (cursors) => readFrames(reading, cursors, READ_COUNT, READ_BLOCK_MS),
  maintain: (cursors) => maintainStreams(redis, cursors),
  answer: (replies, wakes) => publishOutcome(redis, replies, wakes),
};
const streamClock = new StreamClock({ clock, readTime: () => readTime(redis) });
const metrics = createLoopMetrics(registry, config.partitions);
const loop = new BatchLoop({
  clock,
  streamNowMs: () => streamClock.estimateNowMs(),
  streams,
  store: {
    loadSnapshots: (ids) => bounded(loadSnapshots(reads, ids)),
    commit: (batch) => bounded(commitBatch(commits, batch)),
    probe: (batch) => bounded(probeBatch(commits, batch)),
    readClaims: (partitions) => bounded(leases.readClaims(reads, partitions)),
  },
  log,
  metrics,
  partitions: config.partitions,
  baseUrl: config.baseUrl,
});
const keeper = new LeaseKeeper({
  name,
  partitions: config.partitions,
  leaseMs: config.leaseMs,
  clock,
  store: {
    heartbeat: () =>
      bounded(leases.renewLeases(leasing, name, config.leaseMs, streamClock.readContact())),
    readAssignment: () => bounded(leases.readAssignment(leasing, name, settledMs)),
    claim: (count) => bounded(leases.claimPartitions(leasing, name, count)),
    release: (partitions) => bounded(leases.releasePartitions(leasing, name, partitions)),
    leave: () => bounded(leases.leaveAssignment(leasing, name)),
  },
  streams,
  holder: loop,
  log,
  onTakeOver: metrics.onTakeOver,
});
lifecycle.onStop('loop', () => loop.stop());
lifecycle.onStop('leases', () => keeper.leave());
lifecycle.onStop(
  'stream guard',
  startStreamGuard({ redis, owned: loop.owned, tend: streams.maintain, streamClock, metrics, log }),
);

void keeper.start().then(() => {
  lifecycle.ready();
});
await loop.run();
