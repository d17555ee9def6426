// Starts the delivery of events: the worker with its loops, the reconciler, and the move of due deliveries.
import { readFileSync } from 'node:fs';
import { RETRY_SCHEDULE_S } from '#actors/core/webhooks/retry-schedule.js';
import { parseRanges } from '#ops/net/address.js';
import { createPoster, type Poster } from '#ops/net/post.js';
import { createResolver } from '#ops/net/resolver.js';
import type { Clock } from '#ops/runtime/clock.js';
import type { Config } from '#ops/runtime/config.js';
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Registry } from '#ops/runtime/metrics.js';
import type { Tracer } from '#ops/runtime/tracing/tracer.js';
import { isReady, type RedisClient } from '#store/redis/client.js';
import { leaveGroup } from '#store/redis/webhooks/delivery-partitions.js';
import { fetchDeferred, moveDue } from '#store/redis/webhooks/due-list.js';
import { createReadyReader } from '#store/redis/webhooks/ready-leases.js';
import {
  createBreakerGauge,
  createDeliveryMetrics,
  createReconcilerAge,
  type DeliveryMetrics,
  setBacklog,
} from './delivery-metrics.js';
import { DeliveryReconciler } from './delivery-reconciler.js';
import { type DeliveryShare, DeliveryWorker } from './delivery-worker.js';
import { type DueMover, startDueMover } from './due-mover.js';
import { EndpointCache } from './endpoint-cache.js';
import { type LaneRefiller, startLaneRefiller } from './lane-refiller.js';
import { RECONCILE_EVERY_MS, RENEW_EVERY_MS, RETURN_MS } from './lease.js';
import type { DeliveryStore } from './ports.js';

const TICK_EVERY_MS = 100;
/** While the worker holds nothing: less than PAUSED_MS, so that no pause is found that there was not. */
const IDLE_TICK_EVERY_MS = 500;
const COUNT_EVERY_MS = 5_000;

export interface DeliveriesOptions {
  readonly config: Pick<Config, 'secretsKeys'> & {
    readonly webhooks: Pick<Config['webhooks'], 'retrySeconds'>;
    readonly brand: Pick<Config['brand'], 'header'>;
  };
  readonly store: DeliveryStore;
  readonly poster: Poster;
  readonly redis: RedisClient;
  /** The connection that waits for entries. */
  readonly blockingRedis: RedisClient;
  /** Unique for each process. */
  readonly consumer: string;
  readonly share: DeliveryShare;
  /** Called when an attempt at the endpoint was recorded. */
  readonly onRecorded: (endpointId: string) => void;
  readonly stopping: AbortSignal;
  readonly registry: Registry;
  /** From 0 up to 1: spreads retries. */
  readonly random: () => number;
  readonly clock: Clock;
  readonly log: Log;
  /** undefined: traces are off. */
  readonly tracer?: Tracer | undefined;
}

/** The poster for merchants' addresses, as the configuration allows them. */
export function openPoster({ webhooks }: Pick<Config, 'webhooks'>): Poster {
  const { allowTargets, dnsServers, caFile } = webhooks;
  return createPoster({
    allowed: parseRanges(allowTargets),
    resolve: createResolver({ servers: dnsServers }),
    ...(caFile === null ? {} : { extraCa: readFileSync(caFile, 'utf8') }),
  });
}

/** Returns the function that stops: attempts under way end and are recorded, all other deliveries are returned. */
export function startDeliveries(options: DeliveriesOptions): () => Promise<void> {
  const { config, store, poster, redis, blockingRedis, consumer, share } = options;
  const { onRecorded, stopping, registry, random, clock, log, tracer } = options;
  const metrics = createDeliveryMetrics(registry);
  const { secretsKeys } = config;
  const worker: DeliveryWorker = new DeliveryWorker({
    ...{ store, redis, consumer, metrics, onRecorded, stopping, clock, log },
    readReady: createReadyReader(blockingRedis, consumer, clock),
    share,
    fetchDeferred: async (endpointId, count) => {
      // Another process has the lane now, and fetches its list.
      if (!share.ownsEndpoint(endpointId)) return 0;
      const { left, needsRefill } = await fetchDeferred(redis, endpointId, count, RETURN_MS);
      if (needsRefill) refiller.request(endpointId);
      return left;
    },
    onWaiting: () => {
      mover.noteWaiting();
    },
    repairStreams: () => reconciler.repairStreams(),
    endpoints: new EndpointCache({ store, secretsKeys, stopping, clock, log }),
    delivering: {
      ...{ poster, random, clock, tracer },
      brandHeader: config.brand.header,
      scheduleS: config.webhooks.retrySeconds ?? RETRY_SCHEDULE_S,
    },
  });
  const refiller: LaneRefiller = startLaneRefiller({
    ...{ store, redis, clock, log },
    onRefilled: (endpointId) => {
      worker.noteDeferred(endpointId);
    },
  });
  const mover: DueMover = startDueMover({
    move: () => moveDue(redis, share.listDeliveryPartitions(), RETURN_MS),
    onDeferredLane: ({ endpointId, needsRefill }) => {
      if (needsRefill) refiller.request(endpointId);
      worker.noteDeferred(endpointId);
    },
    ...{ clock, log },
  });
  createBreakerGauge(registry, () => worker.countOpenBreakers());
  const reconciler = new DeliveryReconciler({
    ...{ store, redis, consumer, worker, metrics, log },
    listPartitions: share.listDeliveryPartitions,
  });
  const readers = [refiller, mover, ...startReaders({ worker, reconciler, ...options })];
  const keepers = startKeepers({ worker, metrics, ...options });
  return async () => {
    await stopLoops(readers);
    await worker.drain();
    await stopLoops(keepers);
    if (isReady(redis)) await leaveGroup(redis, consumer).catch(() => null);
    await poster.close();
  };
}

interface ReaderDeps extends Pick<DeliveriesOptions, 'registry' | 'clock' | 'log'> {
  readonly worker: DeliveryWorker;
  readonly reconciler: DeliveryReconciler;
}

/** The loops that hand entries to the worker. They stop first. */
function startReaders({ worker, reconciler, registry, clock, log }: ReaderDeps): Loop[] {
  const read = () => worker.readRound();
  const noteReconciled = createReconcilerAge(registry, clock);
  const reconcile = async () => {
    await reconciler.runRound();
    noteReconciled();
  };
  return [
    startLoop({ name: 'reading deliveries', everyMs: 0, work: read, clock, log }),
    startLoop({ name: 'reconciling', everyMs: RECONCILE_EVERY_MS, work: reconcile, clock, log }),
  ];
}

interface KeeperDeps extends Pick<DeliveriesOptions, 'store' | 'clock' | 'log'> {
  readonly worker: DeliveryWorker;
  readonly metrics: DeliveryMetrics;
}

/** The loops that run until the worker holds nothing, so that outcomes can be written after a long outage too. */
function startKeepers({ worker, metrics, store, clock, log }: KeeperDeps): Loop[] {
  const tick = (): Promise<number> => {
    worker.tick();
    return Promise.resolve(worker.holdsAny() ? TICK_EVERY_MS : IDLE_TICK_EVERY_MS);
  };
  const renew = () => worker.renewLeases();
  // Apart from the reconciler, which cannot finish a round without Redis.
  const count = async () => setBacklog(metrics, await store.countBacklog());
  return [
    startLoop({ name: 'renewing leases', everyMs: RENEW_EVERY_MS, work: renew, clock, log }),
    startLoop({ name: 'sweeping lanes', everyMs: TICK_EVERY_MS, work: tick, clock, log }),
    startLoop({ name: 'counting deliveries', everyMs: COUNT_EVERY_MS, work: count, clock, log }),
  ];
}

const stopLoops = (loops: readonly Pick<Loop, 'stop'>[]): Promise<unknown> =>
  Promise.all(loops.map((loop) => loop.stop()));
