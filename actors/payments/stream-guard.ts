// Maintains the command streams of the owned partitions twice a second, and every two seconds while nothing is committed:
// trims committed frames, repairs streams that lost data while connected (FLUSHALL and a failover break no connection), and
// measures Redis' clock. It is apart from the batches, since a trim with each commit costs Redis an append and an fsync more.
import type { Clock } from '#ops/runtime/clock.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Log } from '#ops/runtime/log.js';
import { isReady, type RedisClient } from '#store/redis/client.js';
import type { Position } from '../core/partition.js';
import type { LoopMetrics } from './loop-metrics.js';
import type { OwnedPartition, OwnedPartitions } from './owned-partition.js';
import type { CommandStreams } from './ports.js';
import { Retention } from './retention.js';
import type { StreamClock } from './stream-clock.js';

const EVERY_MS = 500;
/** Redis is healed within 5 s of a loss. */
const IDLE_EVERY_MS = 2_000;
/** Without a commit for so long the partitions are idle. Senders that a lost stream refuses repeat for longer. */
const IDLE_AFTER_MS = 10_000;

export interface StreamGuardDeps {
  clock: Clock;
  redis: RedisClient;
  owned: OwnedPartitions;
  streams: Pick<CommandStreams, 'maintain' | 'isMemoryShort'>;
  streamClock: StreamClock;
  /** How long committed frames stay. */
  retainMs: number;
  /** When Postgres last confirmed the positions of this process, by the monotonic clock. */
  confirmedAtMs: () => number;
  metrics: LoopMetrics;
  log: Log;
}

export function startStreamGuard(deps: StreamGuardDeps): Loop {
  const retention = new Retention();
  const schedule = createMaintenanceSchedule(deps);
  return startLoop({
    name: 'maintenance of command streams',
    everyMs: EVERY_MS,
    log: deps.log,
    clock: deps.clock,
    work: async () => {
      // Also without Redis: the partitions may have moved to a process that reaches it.
      deps.metrics.setOwned(deps.owned);
      if (!isReady(deps.redis)) return;
      const isDue = schedule.isDue();
      await maintainOwned(deps, retention, isDue);
      if (isDue) schedule.noteMaintained();
    },
  });
}

interface MaintenanceSchedule {
  /** To be called in each round: whether the streams are maintained in it. */
  readonly isDue: () => boolean;
  readonly noteMaintained: () => void;
}

function createMaintenanceSchedule({ owned, clock }: StreamGuardDeps): MaintenanceSchedule {
  let seen = new Map<OwnedPartition, Position>();
  let movedAtMs = -Infinity;
  let maintainedAtMs = -Infinity;
  return {
    isDue: () => {
      const nowMs = clock.monotonicMs();
      const partitions = [...owned.values()];
      if (partitions.some((one) => seen.get(one) !== one.position)) movedAtMs = nowMs;
      seen = new Map(partitions.map((one) => [one, one.position]));
      const isIdle = nowMs - movedAtMs >= IDLE_AFTER_MS;
      // A round may come a little early.
      return !isIdle || nowMs - maintainedAtMs >= IDLE_EVERY_MS - EVERY_MS / 2;
    },
    noteMaintained: () => (maintainedAtMs = clock.monotonicMs()),
  };
}

/** `isDue`: the streams are maintained in this round; the clock of Redis is measured in each. */
async function maintainOwned(
  deps: StreamGuardDeps,
  retention: Retention,
  isDue: boolean,
): Promise<void> {
  const { owned, streams, streamClock, metrics, clock, retainMs, log } = deps;
  metrics.setDeferred(
    [...owned.values()].reduce((sum, one) => sum + (one.deferred?.length ?? 0), 0),
  );
  const [isMemoryShort] = await Promise.all([
    // Without a retention nothing is kept that could take memory.
    isDue && retainMs > 0 && owned.size > 0 && streams.isMemoryShort(),
    streamClock.measure(),
  ]);
  metrics.setStreamsAhead(measureAhead(deps));
  if (owned.size === 0 || !isDue) return;
  const confirmedAtMs = deps.confirmedAtMs();
  const limits = { nowMs: clock.monotonicMs(), retainMs, isMemoryShort, confirmedAtMs };
  const cursors = [...owned.values()].map((one) => {
    const { partition, position } = one;
    return { partition, after: position, trimTo: retention.advance(one, limits) };
  });
  for (const [partition, { repair, backlogMs }] of await streams.maintain(cursors)) {
    metrics.setBacklog(partition, backlogMs);
    if (repair === 'sound') continue;
    metrics.onRepair(repair);
    log.error({ partition, repair }, 'a command stream had lost data and was repaired');
  }
}

/** A clock of Redis that was ahead for a moment stays in the positions of the streams. */
function measureAhead({ owned, streamClock, clock }: StreamGuardDeps): number {
  const nowMs = clock.nowMs();
  const newest = [...owned.values()].map(({ position }) => Number(position.ms));
  return Math.max(
    0,
    (streamClock.estimateNowMs() ?? nowMs) - nowMs,
    ...newest.map((ms) => ms - nowMs),
  );
}
