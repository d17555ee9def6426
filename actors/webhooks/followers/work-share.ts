// The share of this process in the work of all webhooks processes: partitions of deliveries, and partitions of payments
// whose events it fans out. The processes note in Redis that they are alive, and each takes every n-th partition of the
// sorted list of their names. So one process reads a delivery partition and owns the lanes of its endpoints, and an
// endpoint gets the attempts of one lane, however many processes run.
//
//   ALONE ──the first list──▶ SHARING ──a process joins, leaves or is silent for ALIVE_MS──▶ SHARING
//                                │ ▲
//     Postgres silent, SILENT_MS ▼ │ it answers
//                               IDLE   no share, and no lease is renewed: the others may reach Postgres
//
// No share is exclusive: for a moment, two processes may read a partition, or none. Entries are leased and cursors are
// locked one by one, so two processes that read one are harmless, and what none reads waits in Redis or Postgres.
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import { isReady, type RedisClient } from '#store/redis/client.js';
import {
  DELIVERY_PARTITIONS,
  findDeliveryPartition,
} from '#store/redis/webhooks/delivery-partitions.js';
import { joinProcesses, leaveProcesses } from '#store/redis/webhooks/processes.js';
import type { DeliveryShare } from '../deliveries/delivery-worker.js';

const JOIN_EVERY_MS = 1_000;
/** A process that was silent for so long has no share. Three notes in a row may be lost. */
export const ALIVE_MS = 4_000;
/** A process that Postgres has not answered for so long can do nothing with its share. */
const SILENT_MS = 5_000;

export interface WorkShare extends DeliveryShare, Pick<Loop, 'stop'> {
  /** Partitions of payments of this process. */
  readonly listPaymentPartitions: () => readonly number[];
}

export interface WorkShareOptions {
  readonly redis: RedisClient;
  /** Unique for each process. */
  readonly name: string;
  /** The present number of partitions of payments. */
  readonly countPartitions: () => number;
  /** Resolves when Postgres answers. */
  readonly probePostgres: () => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Until Redis answers, the process takes all partitions. */
export async function startWorkShare(options: WorkShareOptions): Promise<WorkShare> {
  const { redis, name, countPartitions, clock, log } = options;
  const isSilent = watchPostgres(options.probePostgres, clock);
  let names: readonly string[] = [];
  let deliveries: readonly number[] = [];
  let payments: readonly number[] = [];
  let partitions = 0;
  const divide = (alive: readonly string[]): void => {
    if (alive.join() === names.join() && partitions === countPartitions()) return;
    names = alive;
    partitions = countPartitions();
    deliveries = listShare(names, name, DELIVERY_PARTITIONS);
    payments = listShare(names, name, partitions);
    log.info(
      { processes: names.length, deliveries, payments },
      'webhooks processes share the work',
    );
  };
  const join = async (): Promise<void> => {
    if (isSilent()) {
      divide([]);
      await leaveProcesses(redis, name);
    } else {
      divide((await joinProcesses(redis, name, ALIVE_MS)).sort());
    }
  };
  divide([name]);
  if (isReady(redis)) await join().catch(() => null);
  const loop = startLoop({ name: 'joining', everyMs: JOIN_EVERY_MS, work: join, clock, log });
  return {
    listDeliveryPartitions: () => deliveries,
    ownsEndpoint: (endpointId) => deliveries.includes(findDeliveryPartition(endpointId)),
    isIdle: () => names.length === 0,
    listPaymentPartitions: () => payments,
    stop: async () => {
      await loop.stop();
      if (isReady(redis)) await leaveProcesses(redis, name).catch(() => null);
    },
  };
}

/** Each call of the returned function probes once more, and says whether Postgres has been silent for SILENT_MS. */
function watchPostgres(probe: () => Promise<unknown>, clock: Clock): () => boolean {
  let answeredAtMs = clock.monotonicMs();
  let isProbing = false;
  const runProbe = async (): Promise<void> => {
    isProbing = true;
    await probe().then(
      () => (answeredAtMs = clock.monotonicMs()),
      () => null,
    );
    isProbing = false;
  };
  return () => {
    if (!isProbing) void runProbe();
    return clock.monotonicMs() - answeredAtMs > SILENT_MS;
  };
}

/** Every n-th of `count` partitions, where n is the number of processes. */
export function listShare(names: readonly string[], name: string, count: number): number[] {
  const place = names.indexOf(name);
  if (place < 0) return [];
  const all = Array.from({ length: count }, (_, partition) => partition);
  return all.filter((partition) => partition % names.length === place);
}
