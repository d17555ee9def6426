// How far links and invoices are behind the payments that were made through them.
import { createGauge, type Registry } from '#ops/runtime/metrics.js';
import type { ProjectionBacklog } from '#store/postgres/links-and-invoices/project-payments.js';

const COUNT_EVERY_MS = 5_000;

/** `count` asks the database; while that fails, the figures stay. Answers the function that ends it. */
export function startProjectionMetrics(
  registry: Registry,
  count: () => Promise<ProjectionBacklog>,
): () => void {
  const events = createGauge(
    registry,
    'payment_followers_unhandled',
    'Events of payments that links and invoices have not followed yet',
  );
  const age = createGauge(
    registry,
    'payment_followers_lag_seconds',
    'Age of the oldest of those events; 0: there is none',
  );
  const look = async (): Promise<void> => {
    const counted = await count();
    events.set(counted.events);
    age.set(counted.oldestS);
  };
  const lookOrKeep = (): void => void look().catch(() => {});
  lookOrKeep();
  const timer = setInterval(lookOrKeep, COUNT_EVERY_MS);
  return () => {
    clearInterval(timer);
  };
}
