// Starts everything between a handler and the actors: Redis, the health of the dependencies, the dispatcher of commands and
// the relay of callbacks, which share the reply channel of this process.
import { pid } from 'node:process';
import { nanoid } from 'nanoid';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import { createGauge, type Registry } from '#ops/runtime/metrics.js';
import type { Process } from '#ops/runtime/process.js';
import type { Postgres } from '#store/postgres/client.js';
import { openPartitionCount } from '#store/postgres/migration/partition-count.js';
import { loadSnapshots } from '#store/postgres/payments/load-payments.js';
import { isFormerMaster } from '#store/postgres/payments/partition-leases.js';
import { openFrameSender } from '#store/postgres/payments/frame-version.js';
import { openRedis, openSubscriber, type RedisClient } from '#store/redis/client.js';
import { sendFrames } from '#store/redis/commands.js';
import { startServerWatch } from '#store/redis/server-watch.js';
import { subscribeReplies } from '#store/redis/replies.js';
import { CallbackRelay } from './callback-relay.js';
import { DependencyHealth } from './dependency-health.js';
import { Dispatcher } from './dispatcher.js';
import { createSendTrace } from './send-spans.js';

/** A gateway also starts while Redis or Postgres is away, and answers 503 until they are back. */
const START_WAIT_MS = 5_000;

export interface Commands {
  readonly redis: RedisClient;
  /** The connection of subscriptions. */
  readonly subscriber: RedisClient;
  readonly health: DependencyHealth;
  readonly dispatcher: Dispatcher;
  readonly callbacks: CallbackRelay;
  /** Resolves when commands can be sent and answered, or after a few seconds. */
  waitUntilReady(): Promise<void>;
}

/** `found`: the number of partitions at the start. */
export async function startCommands(
  process: Process,
  { polls, reads }: { readonly polls: Postgres; readonly reads: Postgres },
  found: number,
): Promise<Commands> {
  const { config, log, lifecycle, registry, tracer } = process;
  const onRedisError = (error: unknown): void => {
    log.warn({ err: error }, 'Redis does not answer');
  };
  const onDispatchError = (error: unknown): void => {
    log.warn({ err: error }, 'commands could not be sent, or their outcomes not be looked up');
  };
  const name = `gw-${pid}-${nanoid(8)}`;
  const sender = await openFrameSender(process, { name, source: 'gateway', sql: polls });
  const redis = openRedis(config.redisUrl, onRedisError);
  const subscriber = openSubscriber(config.redisUrl, onRedisError);
  lifecycle.onStop('Redis', () => {
    redis.disconnect();
    subscriber.disconnect();
  });

  const watch = startServerWatch({
    ...{ asked: [redis], subscribed: [subscriber], log },
    isFormerMaster: (runIds) => isFormerMaster(polls, runIds),
  });
  lifecycle.onStop('watch of the Redis server', () => watch.stop());
  const { hasFormer } = watch;
  const { leaseMs } = config;
  const health = new DependencyHealth({ sql: polls, redis, subscriber, hasFormer, leaseMs, log });
  lifecycle.onStop('dependency health', () => health.stop());
  const count = openPartitionCount(process, { sql: polls, found });
  const dispatcher = new Dispatcher({
    findPartition: count.find,
    send: sendFrames.bind(null, redis, sender),
    loadSnapshots: loadSnapshots.bind(null, reads),
    findRejection: health.findRejection.bind(health),
    clock: SYSTEM_CLOCK,
    onError: onDispatchError,
    trace: tracer && createSendTrace(tracer),
  });
  lifecycle.onStop('dispatcher', () => dispatcher.stop());
  createCommandGauges(registry, dispatcher, health);

  const callbacks = new CallbackRelay(redis, name, tracer);
  const accepts = [dispatcher.accept.bind(dispatcher), callbacks.accept.bind(callbacks)];
  const subscribed = subscribeReplies(subscriber, name, ...accepts);
  return {
    redis,
    subscriber,
    health,
    dispatcher,
    callbacks,
    // Without the subscription a reply is lost, and its request waits for the look-up in Postgres.
    waitUntilReady: async () => {
      await runWithDeadline(subscribed, START_WAIT_MS).catch(onRedisError);
      await health.waitUntilHealthy(START_WAIT_MS);
    },
  };
}

function createCommandGauges(
  registry: Registry,
  dispatcher: Dispatcher,
  health: DependencyHealth,
): void {
  createGauge(registry, 'gateway_inflight_commands', 'Commands sent, not answered yet', {
    read: (gauge) => gauge.set(dispatcher.inFlight),
  });
  createGauge(registry, 'gateway_has_payments', '0: no payments process lives', {
    read: (gauge) => gauge.set(health.hasPayments() ? 1 : 0),
  });
}
