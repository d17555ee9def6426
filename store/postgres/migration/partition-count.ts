// The number of partitions as a sender knows it. `kasir partitions split` raises it while processes run, so it is read again and
// again. A number that is a little old does no harm: the owner of a former partition forwards commands (actors/payments/forwarder.ts).
import { partitionFor } from '#actors/core/partition.js';
import { type Clock, SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import { startLoop } from '#ops/runtime/loop.js';
import type { Process } from '#ops/runtime/process.js';
import type { Postgres } from '../client.js';
import { readInstallation } from './installation.js';

const READ_EVERY_MS = 2_000;

export interface PartitionCount {
  /** Cheap: call it for each command and never keep its result. */
  readonly read: () => number;
  /** The partition of a payment by that number. */
  readonly find: (paymentId: string) => number;
  readonly stop: () => Promise<void>;
}

export interface PartitionCountDeps {
  /** A pool that slow statements cannot fill. */
  readonly sql: Postgres;
  /** As the process found it at its start. */
  readonly found: number;
  readonly log: Log;
  /** The system's by default. */
  readonly clock?: Clock;
}

/** The number that a process follows until it stops. */
export function openPartitionCount(
  { log, lifecycle }: Process,
  { sql, found }: Pick<PartitionCountDeps, 'sql' | 'found'>,
): PartitionCount {
  const count = startPartitionCount({ sql, found, log });
  lifecycle.onStop('number of partitions', count.stop);
  return count;
}

export function startPartitionCount(deps: PartitionCountDeps): PartitionCount {
  const { sql, found, log, clock = SYSTEM_CLOCK } = deps;
  let count = found;
  const { stop } = startLoop({
    name: 'number of partitions',
    everyMs: READ_EVERY_MS,
    isFirstDelayed: true,
    log,
    clock,
    work: async () => {
      const { partitions = count } = (await readInstallation(sql)) ?? {};
      if (partitions !== count)
        log.info({ partitions, before: count }, 'the number of partitions changed');
      count = partitions;
    },
  });
  return { read: () => count, find: (paymentId) => partitionFor(paymentId, count), stop };
}
