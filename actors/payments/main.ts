// The payments process owns a share of the partitions and is the only writer of their payments.
import { nanoid } from 'nanoid';
import { SYSTEM_CLOCK as clock } from '#ops/runtime/clock.js';
import { startProcess } from '#ops/runtime/process.js';
import { BY_KEY, closePostgres, openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import * as leases from '#store/postgres/payments/partition-leases.js';
import { openRedis, readRunId, readTime } from '#store/redis/client.js';
import { NEWEST_VERSION } from '#store/redis/frames.js';
import { openFrameReader } from '#store/redis/open-frame-reader.js';
import { startServerWatch } from '#store/redis/server-watch.js';
import { BatchLoops, LOOPS } from './batch-loops.js';
import { LeaseKeeper } from './lease-keeper.js';
import { createLoopMetrics } from './loop-metrics.js';
import { openCommandStreams, openPaymentStore } from './ports.js';
import { REACHABLE_WITHIN_MS, StreamClock } from './stream-clock.js';
import { startStreamGuard } from './stream-guard.js';

/** Per pool: one for each loop, and a connection that the network swallowed must not stop the next statement. */
const CONNECTIONS = LOOPS + 1;

const { config, log, lifecycle, registry, tracer } = await startProcess('payments');
const { leaseMs } = config;
const name = `payments-${process.pid}-${nanoid(8)}`;

const commits = openPostgres(config.databaseUrl, 'commits', CONNECTIONS, { plans: BY_KEY });
const reads = openPostgres(config.databaseUrl, 'payments reads', CONNECTIONS, { plans: BY_KEY });
const leasing = openPostgres(config.databaseUrl, 'leases', CONNECTIONS);
lifecycle.onStop('postgres', () => Promise.all([commits, reads, leasing].map(closePostgres)));
const found = await checkInstallation(leasing, config);

const onRedisError = (error: Error): void => {
  log.warn({ err: error }, 'a connection to Redis failed; connecting again');
};
const redis = openRedis(config.redisUrl, onRedisError);
const readers = Array.from({ length: LOOPS }, () =>
  openFrameReader({
    ...{ url: config.redisUrl, redis, keys: config.commandKeys },
    onError: onRedisError,
  }),
);
lifecycle.onStop('redis', () => {
  redis.disconnect();
  for (const { close } of readers) close();
});

const streams = openCommandStreams(redis, config.commandKeys);
const streamClock = new StreamClock({
  clock,
  readTime: () => readTime(redis),
  readRunId: () => readRunId(redis),
});
const metrics = createLoopMetrics(registry, () => keeper.partitions ?? found);
const loop = new BatchLoops(
  {
    clock,
    streamNowMs: () => streamClock.estimateNowMs(),
    streams,
    store: openPaymentStore(commits, reads),
    log,
    metrics,
    tracer,
    baseUrl: config.baseUrl,
    approvalLimitMinor: config.approvalLimitMinor,
  },
  readers.map(({ reader }) => reader),
);
/** Other processes need this time to notice and to store that Redis does not answer them either. */
const settledMs = leaseMs + REACHABLE_WITHIN_MS;
const keeper = new LeaseKeeper({
  name,
  leaseMs,
  readsVersion: NEWEST_VERSION,
  clock,
  store: {
    renewLease: (readsVersion) =>
      leases.renewLease(leasing, name, leaseMs, {
        contact: streamClock.readContact(),
        readsVersion,
        presence: subscription.readPresence(),
      }),
    readAssignment: () =>
      leases.readAssignment(leasing, name, settledMs, subscription.readPresence()),
    claim: (count) => leases.claimPartitions(leasing, name, count, subscription.readPresence()),
    release: (partitions) => leases.releasePartitions(leasing, name, partitions),
    giveUp: (stopped) => leases.giveUpPartitions(leasing, name, stopped),
    leave: () => leases.leaveAssignment(leasing, name),
  },
  streams,
  holder: loop,
  log,
  onTakeOver: metrics.onTakeOver,
  onStopped: metrics.setStopped,
});
lifecycle.onStop('loop', () => loop.stop());
lifecycle.onStop('leases', () => keeper.leave());
const subscription = leases.subscribeFreedPartitions(config.databaseUrlDirect, () => {
  keeper.rebalance();
});
lifecycle.onStop('notifications', () => subscription.stop());
const { owned } = loop;
const guard = startStreamGuard({
  ...{ clock, redis, owned, streams, streamClock, metrics, log },
  retainMs: config.commandRetentionMs,
  confirmedAtMs: () => keeper.renewedAtMs,
});
lifecycle.onStop('stream guard', () => guard.stop());
const watch = startServerWatch({
  asked: [redis, ...readers.flatMap(({ asked }) => asked)],
  subscribed: [],
  isFormerMaster: (runIds) => leases.isFormerMaster(leasing, runIds),
  log,
});
lifecycle.onStop('watch of the Redis server', () => watch.stop());

void keeper.start().then(() => {
  lifecycle.ready();
});
await loop.run();
