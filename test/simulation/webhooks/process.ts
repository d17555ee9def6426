// A webhooks process of the simulated world: the real loops, wired as in actors/webhooks/main.ts, on models of Redis and
// Postgres. The payment follower, replays, retention, API logs and the eraser are left out.
import { Registry } from 'prom-client';
import type { DeliveryStore } from '#actors/webhooks/deliveries/ports.js';
import { startDeliveries } from '#actors/webhooks/deliveries/start-deliveries.js';
import { type EventFollower, startFanOut } from '#actors/webhooks/followers/fan-out.js';
import { startWorkShare, type WorkShare } from '#actors/webhooks/followers/work-share.js';
import type { NamedKey } from '#ops/runtime/environment/variables.js';
import type { WokenPartitions } from '#store/redis/wake-up.js';
import { type DeliveryKey, enqueueDeliveries } from '#store/redis/webhooks/ready-entries.js';
import type { RedisClient } from '#store/redis/client.js';
import * as deliveries from '../postgres/deliveries.js';
import * as outbox from '../postgres/outbox.js';
import type { PostgresServer, Statement } from '../postgres/server.js';
import type { DatedTables } from '../postgres/tables.js';
import { createRedisClient } from '../redis/client.js';
import { RedisConnection, type RedisNetwork } from '../redis/network.js';
import type { SimProcess } from '../world/sim-process.js';
import type { Receivers } from './receivers.js';
import { PAYMENT_PARTITIONS } from './scenario.js';

/** As the pool for attempts in actors/webhooks/stores.ts. */
const ATTEMPT_LOCK_MS = 200;
const REDIS_WAIT_MS = 5_000;
const REDIS_POLL_MS = 20;
/** Short, so that a run sees all attempts of a delivery. */
export const RETRY_SECONDS = [1, 2, 4] as const;
export const SECRETS_KEYS: NamedKey[] = [{ name: 'sim', key: Buffer.alloc(32, 7) }];

export interface WebhooksStage {
  readonly redis: RedisNetwork;
  readonly postgres: PostgresServer;
  readonly receivers: Receivers;
}

export interface WebhooksProcess {
  readonly process: SimProcess;
  readonly connections: readonly RedisConnection[];
  readonly registry: Registry;
  /** A commit wakes the fan-out of the partitions that have new events. */
  readonly wake: (partitions: WokenPartitions) => void;
  /** Postgres notifies that these deliveries are due. */
  readonly notify: (due: readonly DeliveryKey[]) => void;
  /** As on SIGTERM: resolves when everything is handed over. */
  readonly stop: () => Promise<void>;
}

interface Running {
  readonly share: WorkShare;
  readonly fanOut: EventFollower;
  readonly stopDeliveries: () => Promise<void>;
}

export function startWebhooks(stage: WebhooksStage, process: SimProcess): WebhooksProcess {
  const connections = [0, 1].map(() => new RedisConnection(stage.redis, process));
  const [redis, blockingRedis] = connections.map(createRedisClient) as [RedisClient, RedisClient];
  const registry = new Registry();
  const stopping = new AbortController();
  let running: Running | undefined;
  const start = async (): Promise<void> => {
    await waitForRedis(process, connections);
    if (stopping.signal.aborted) return;
    running = await startLoops(stage, process, { redis, blockingRedis, registry, stopping });
  };
  void start();
  return {
    ...{ process, connections, registry },
    wake: (partitions) => running?.fanOut.wake(partitions),
    notify: (due) => {
      const own = due.filter(({ endpointId }) => running?.share.ownsEndpoint(endpointId));
      enqueueDeliveries(redis, own).catch(() => null);
    },
    stop: async () => {
      stopping.abort();
      await running?.share.stop();
      await Promise.all([running?.stopDeliveries(), running?.fanOut.stop()]);
      process.kill();
    },
  };
}

async function waitForRedis(
  { clock }: SimProcess,
  connections: readonly RedisConnection[],
): Promise<void> {
  const untilMs = clock.monotonicMs() + REDIS_WAIT_MS;
  const isReady = (): boolean => connections.every(({ status }) => status === 'ready');
  while (!isReady() && clock.monotonicMs() < untilMs) await clock.sleep(REDIS_POLL_MS);
}

interface Wiring {
  readonly redis: RedisClient;
  readonly blockingRedis: RedisClient;
  readonly registry: Registry;
  readonly stopping: AbortController;
}

async function startLoops(
  stage: WebhooksStage,
  process: SimProcess,
  { redis, blockingRedis, registry, stopping }: Wiring,
): Promise<Running> {
  const { clock, log, name, world } = process;
  const run = <Value>(statement: StatementOf<Value>): Promise<Value> =>
    runStatement(stage.postgres, process, statement);
  const share = await startWorkShare({
    ...{ redis, name, countPartitions: () => PAYMENT_PARTITIONS, clock, log },
    probePostgres: () => run({ name: 'probe', isWrite: false, work: () => null }),
  });
  const stopDeliveries = startDeliveries({
    config: {
      ...{ secretsKeys: SECRETS_KEYS, brand: { header: 'Service' } },
      webhooks: { retrySeconds: RETRY_SECONDS },
    },
    ...{ store: openStore(run), poster: stage.receivers.openPoster(process) },
    ...{ redis, blockingRedis, consumer: name, share, stopping: stopping.signal, registry },
    // Pages are left out.
    onRecorded: () => undefined,
    ...{ random: () => world.chance.below(1_000) / 1_000, clock, log },
  });
  const fanOut = startFanOut({
    ...{ redis, share, registry, clock, log },
    fanOut: (partitions) =>
      run({ name: 'fan out', isWrite: true, work: (server) => outbox.fanOut(server, partitions) }),
  });
  return { share, fanOut, stopDeliveries };
}

/** Its work sees the server's clock, too. */
type StatementOf<Value> = Omit<Statement<Value>, 'work'> & {
  readonly work: (server: DatedTables) => Value;
};

const runStatement = <Value>(
  postgres: PostgresServer,
  process: SimProcess,
  { work, ...statement }: StatementOf<Value>,
): Promise<Value> =>
  postgres.run(process, {
    ...statement,
    work: (tables) => work({ tables, nowMs: postgres.nowMs }),
  });

function openStore(run: <Value>(statement: StatementOf<Value>) => Promise<Value>): DeliveryStore {
  const read = <Value>(name: string, work: StatementOf<Value>['work']): Promise<Value> =>
    run({ name, isWrite: false, work });
  const write = <Value>(
    name: string,
    work: StatementOf<Value>['work'],
    locks: readonly string[] = [],
  ): Promise<Value> => run({ name, isWrite: true, work, locks, lockTimeoutMs: ATTEMPT_LOCK_MS });
  return {
    loadDeliveries: (ids) =>
      read('load deliveries', (server) => deliveries.loadDeliveries(server, ids)),
    loadLiveEndpoints: (ids) =>
      read('load endpoints', (server) => deliveries.loadLiveEndpoints(server, ids)),
    findOverdue: (range, limit) =>
      read('find overdue', (server) => deliveries.findOverdue(server, range, limit)),
    findOverdueOf: (id, after, limit) =>
      read('find overdue of', (server) => deliveries.findOverdueOf(server, id, after, limit)),
    countBacklog: () => read('count backlog', deliveries.countBacklog),
    recordAttempts: (rows) =>
      write(
        'record attempts',
        (server) => {
          deliveries.recordAttempts(server, rows);
        },
        rows.map(({ deliveryId }) => deliveryId),
      ),
    settleUnrecorded: (row) =>
      write('settle unrecorded', (server) => {
        deliveries.settleUnrecorded(server, row);
      }),
    resumeQuarantined: (limit) =>
      write('resume quarantined', (server) => outbox.resumeQuarantined(server, limit)),
    // Notes for people.
    notePauses: () => Promise.resolve(),
    // No endpoint fails for an hour in a run.
    flagFailing: () => Promise.resolve([]),
    disableFailing: () => Promise.resolve([]),
  };
}
