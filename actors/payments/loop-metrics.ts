// The metrics of the payments process. Labels are closed sets, never ids.
import {
  ANY_VALUE,
  createCounter,
  createGauge,
  createHistogram,
  type Registry,
  SIZE_BUCKETS,
} from '#ops/runtime/metrics.js';
import type { StreamRepair } from '#store/redis/stream-repair.js';
import type { FoldResult } from './fold.js';
import type { OwnedPartitions } from './owned-partition.js';

type Repair = Exclude<StreamRepair, 'sound'>;
const REPAIRS = Object.keys({
  remade: true,
  raised: true,
} satisfies Record<Repair, true>) as readonly Repair[];

export interface LoopMetrics {
  onCommit: (folded: FoldResult, elapsedMs: number) => void;
  onQuarantined: () => void;
  onTakeOver: (count: number) => void;
  onRepair: (repair: Repair) => void;
  /** The backlog of a partition that is not owned any more belongs to its next owner. */
  setOwned: (owned: Pick<OwnedPartitions, 'has' | 'size'>) => void;
  /** Partitions whose next frame has a newer version than this process reads. */
  setStopped: (count: number) => void;
  setDeferred: (count: number) => void;
  setBacklog: (partition: number, ms: number) => void;
  /** How far the newest time of a stream is ahead of this process' clock. */
  setStreamsAhead: (ms: number) => void;
}

/** `countPartitions`: of the installation. */
export function createLoopMetrics(registry: Registry, countPartitions: () => number): LoopMetrics {
  const quarantined = createCounter(
    registry,
    'commands_quarantined_total',
    'Commands that were quarantined',
  );
  const takeOvers = createCounter(
    registry,
    'partition_takeovers_total',
    'Partitions claimed by this process',
  );
  const repairs = createCounter(
    registry,
    'stream_repairs_total',
    'Repairs of streams that had lost data',
    { repair: REPAIRS },
  );
  const ahead = createGauge(
    registry,
    'streams_ahead_seconds',
    'How far the newest command is dated ahead of the clock of this process',
  );
  const deferred = createGauge(
    registry,
    'commands_deferred',
    'Accepted commands that wait for a locked row or for time',
  );
  return {
    onCommit: createCommitMetrics(registry),
    ...createPartitionMetrics(registry, countPartitions),
    onQuarantined: () => {
      quarantined.inc();
    },
    onTakeOver: (count) => {
      takeOvers.inc(count);
    },
    onRepair: (repair) => {
      repairs.inc({ repair });
    },
    setDeferred: (count) => {
      deferred.set(count);
    },
    setStreamsAhead: (ms) => {
      ahead.set(ms / 1_000);
    },
  };
}

function createPartitionMetrics(
  registry: Registry,
  countPartitions: () => number,
): Pick<LoopMetrics, 'setOwned' | 'setStopped' | 'setBacklog'> {
  createGauge(registry, 'partitions', 'Partitions of the installation', {
    read: (gauge) => gauge.set(countPartitions()),
  });
  const owned = createGauge(registry, 'partitions_owned', 'Partitions owned by this process');
  const stopped = createGauge(
    registry,
    'partitions_stopped',
    'Partitions that wait for a process that reads a newer version of frames',
  );
  const backlog = createGauge(
    registry,
    'partition_backlog_seconds',
    'Age of the oldest frame that is not committed',
    { labels: { partition: ANY_VALUE } },
  );
  const measured = new Set<number>();
  return {
    setOwned: (partitions) => {
      owned.set(partitions.size);
      for (const partition of measured) {
        if (partitions.has(partition)) continue;
        backlog.remove({ partition: String(partition) });
        measured.delete(partition);
      }
    },
    setStopped: (count) => {
      stopped.set(count);
    },
    setBacklog: (partition, ms) => {
      measured.add(partition);
      backlog.set({ partition: String(partition) }, ms / 1_000);
    },
  };
}

function createCommitMetrics(registry: Registry): LoopMetrics['onCommit'] {
  const queued = createHistogram(
    registry,
    'command_queue_seconds',
    'From the append of a command to the fold of its batch',
  );
  const size = createHistogram(registry, 'commit_batch_size', 'Commands per commit', {
    buckets: SIZE_BUCKETS,
  });
  const seconds = createHistogram(registry, 'commit_seconds', 'Duration of a commit');
  const commands = createCounter(registry, 'commands_total', 'Commands applied', {
    type: ANY_VALUE,
    outcome: ANY_VALUE,
  });
  return (folded, elapsedMs) => {
    seconds.observe(elapsedMs / 1_000);
    size.observe(folded.commandCount);
    for (const ms of folded.queuedMs) queued.observe(ms / 1_000);
    for (const [key, count] of folded.outcomes) {
      const [type = '', outcome = ''] = key.split(' ');
      commands.inc({ type, outcome }, count);
    }
  };
}
