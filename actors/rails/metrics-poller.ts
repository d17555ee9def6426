// Counts for Prometheus that stand in the database, every few seconds.
import { type RetryLoop, sleep } from '#ops/runtime/retry-loop.js';
import type { RailsMetrics } from './rails-metrics.js';

const COUNT_EVERY_MS = 5_000;

export interface MetricsPollerDeps {
  readonly stopping: AbortSignal;
  countUnknown: () => Promise<ReadonlyMap<string, number>>;
  sumSuspense: () => Promise<ReadonlyMap<string, number>>;
  countFacts: () => Promise<number>;
  readonly metrics: RailsMetrics;
  readonly retryLoop: RetryLoop;
}

/** Runs until the process stops. */
export async function runMetricsPoller(parts: MetricsPollerDeps): Promise<void> {
  const { stopping, metrics, retryLoop } = parts;
  while (!stopping.aborted) {
    try {
      metrics.setUnknown(await parts.countUnknown());
      metrics.setSuspense(await parts.sumSuspense());
      metrics.setFactsWaiting(await parts.countFacts());
      retryLoop.noteSuccess();
      await sleep(COUNT_EVERY_MS);
    } catch (error) {
      await retryLoop.waitAfter(error);
    }
  }
}
