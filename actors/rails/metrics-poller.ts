// Counts for Prometheus that stand in the database, every few seconds.
import { type Outage, sleep } from '#ops/runtime/retry-loop.js';
import type { RailsMetrics } from './rails-metrics.js';

const COUNT_EVERY_MS = 5_000;

export interface SurveyParts {
  readonly stopping: AbortSignal;
  countUnknown: () => Promise<ReadonlyMap<string, number>>;
  sumSuspense: () => Promise<ReadonlyMap<string, number>>;
  countFacts: () => Promise<number>;
  readonly metrics: RailsMetrics;
  readonly outage: Outage;
}

/** Runs until the process stops. */
export async function runSurvey(parts: SurveyParts): Promise<void> {
  const { stopping, metrics, outage } = parts;
  while (!stopping.aborted) {
    try {
      metrics.setUnknown(await parts.countUnknown());
      metrics.setSuspense(await parts.sumSuspense());
      metrics.setFactsWaiting(await parts.countFacts());
      outage.over();
      await sleep(COUNT_EVERY_MS);
    } catch (error) {
      await outage.wait(error);
    }
  }
}
