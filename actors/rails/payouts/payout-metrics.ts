// Figures of payouts that are under way.
import { createGauge, type Registry } from '#ops/runtime/metrics.js';
import type { OpenPayouts } from '#store/postgres/payouts/count-payouts.js';

const COUNT_EVERY_MS = 5_000;
const OPEN_STATUSES = ['PENDING', 'PROCESSING', 'MANUAL_REQUIRED'];

/** `count` asks the database; while that fails, the figures stay. Answers the function that ends it. */
export function startPayoutMetrics(
  registry: Registry,
  count: () => Promise<OpenPayouts>,
): () => void {
  const open = createGauge(registry, 'payouts_open', 'Payouts that have not ended, by status', {
    labelNames: ['status'],
  });
  const unknown = createGauge(
    registry,
    'payout_unknown_outcomes',
    'Payouts of which the rail has not said what became of them',
  );
  const look = async (): Promise<void> => {
    const counted = await count();
    for (const status of OPEN_STATUSES) open.set({ status }, counted.byStatus.get(status) ?? 0);
    unknown.set(counted.unknown);
  };
  const lookOrKeep = (): void => void look().catch(() => {});
  lookOrKeep();
  const timer = setInterval(lookOrKeep, COUNT_EVERY_MS);
  return () => {
    clearInterval(timer);
  };
}
