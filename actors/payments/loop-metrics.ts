// What the partition loop tells Prometheus. Labels are closed sets, never ids.
import type { Registry } from '#ops/runtime/metrics.js';
import { createCounter, createGauge, createHistogram, SIZE_BUCKETS } from '#ops/runtime/metrics.js';
import type { FoldResult } from './fold.js';

export interface LoopMetrics {
  onCommit: (folded: FoldResult, elapsedMs: number) => void;
  onQuarantined: () => void;
  onTakeOver: (count: number) => void;
  onRepair: (repair: string) => void;
  setOwned: (count: number) => void;
  setBacklog: (partition: number, frames: number) => void;
}

/** Registers the metrics of the loop. */
export function createLoopMetrics(registry: Registry, partitions: number): LoopMetrics {
  createGauge(registry, 'partitions_total', 'Partitions of the installation').set(partitions);
  const queued = createHistogram(
    registry,
    'command_queue_seconds',
    'From the append of a command to the fold of its batch',
  );
  const size = createHistogram(registry, 'commit_batch_size', 'Commands a commit', {
    buckets: SIZE_BUCKETS,
  });
  const seconds = createHistogram(registry, 'commit_seconds', 'Duration of a commit');
  const commands = createCounter(registry, 'commands_total', 'Commands applied', [
    'type',
    'outcome',
  ]);
  const parked = createCounter(registry, 'commands_parked_total', 'Commands that were parked');
  const takeOvers = createCounter(
    registry,
    'partition_takeovers_total',
    'Partitions that this process claimed',
  );
  const repairs = createCounter(
    registry,
    'stream_repairs_total',
    'Streams made again or raised to their position',
    ['repair'],
  );
  const owned = createGauge(registry, 'partitions_owned', 'Partitions that this process owns');
  const backlog = createGauge(registry, 'partition_backlog', 'Frames appended, not committed yet', {
    labelNames: ['partition'],
  });
  return {
    onCommit(folded, elapsedMs) {
      seconds.observe(elapsedMs / 1_000);
      size.observe(folded.commandCount);
      for (const ms of folded.queuedMs) queued.observe(ms / 1_000);
      for (const [key, count] of folded.outcomes) {
        const [type = '', outcome = ''] = key.split(' ');
        commands.inc({ type, outcome }, count);
      }
    },
    onQuarantined: () => {
      parked.inc();
    },
    onTakeOver: (count) => {
      takeOvers.inc(count);
    },
    onRepair: (repair) => {
      repairs.inc({ repair });
    },
    setOwned: (count) => {
      owned.set(count);
    },
    setBacklog: (partition, frames) => {
      backlog.set({ partition: String(partition) }, frames);
    },
  };
}
