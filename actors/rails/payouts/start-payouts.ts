// Payouts within the rails process: their connections, clock and figures.
import { runWithDeadline } from '#ops/runtime/deadline.js';
import type { Process } from '#ops/runtime/process.js';
import type { KillSwitches } from '#store/postgres/operations/kill-switches.js';
import { closePostgres, openPostgres } from '#store/postgres/client.js';
import { countOpenPayouts } from '#store/postgres/payouts/count-payouts.js';
import type { Rail } from '../adapters/rail.js';
import { PayoutScheduler } from './payout-scheduler.js';
import { startPayoutMetrics } from './payout-metrics.js';
import type { PayoutDeps } from './payout-steps.js';
import { createPayoutRails } from './payout-rails.js';

const CONNECTIONS = 3;
const COUNT_DEADLINE_MS = 5_000;

export interface StartPayoutsDeps {
  /** Those of LIVE that are configured, in their order. */
  readonly rails: readonly Rail[];
  readonly switches: Pick<KillSwitches, 'isOn'>;
  readonly onAnswer: PayoutDeps['onAnswer'];
  /** Calls under way are to end. */
  readonly giveUp: AbortSignal;
}

export function startPayouts(
  { config, log, lifecycle, registry }: Process,
  { rails, switches, onAnswer, giveUp }: StartPayoutsDeps,
): { stop(): Promise<void> } {
  const sql = openPostgres(config.databaseUrl, 'payouts', CONNECTIONS);
  lifecycle.onStop('postgres of payouts', () => closePostgres(sql));
  const clock = new PayoutScheduler({
    sql,
    rails: createPayoutRails(rails, switches.isOn),
    isOn: switches.isOn,
    timeoutMs: config.rails.timeoutMs,
    stepsMs: config.rails.syncSeconds.map((seconds) => seconds * 1000),
    nowMs: () => Date.now(),
    log,
    onAnswer,
    giveUp,
  });
  const stopMetrics = startPayoutMetrics(registry, () =>
    runWithDeadline(countOpenPayouts(sql), COUNT_DEADLINE_MS),
  );
  return {
    stop: async () => {
      stopMetrics();
      await clock.stop();
    },
  };
}
