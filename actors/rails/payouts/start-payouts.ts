// Payouts within the rails process: their connections, clock and figures.
import { withDeadline } from '#ops/runtime/deadline.js';
import type { Process } from '#ops/runtime/process.js';
import type { SwitchBoard } from '#store/postgres/operations/kill-switches.js';
import { closePostgres, openPostgres } from '#store/postgres/client.js';
import { countOpenPayouts } from '#store/postgres/payouts/count-payouts.js';
import type { Rail } from '../adapters/rail.js';
import { PayoutClock } from './payout-scheduler.js';
import { startPayoutMetrics } from './payout-metrics.js';
import type { PayoutParts } from './payout-steps.js';
import { createPayoutRails } from './pick-rail.js';

const CONNECTIONS = 3;
const COUNT_DEADLINE_MS = 5_000;

export interface PayoutSetting {
  /** Those of LIVE that are configured, in their order. */
  readonly rails: readonly Rail[];
  readonly switches: Pick<SwitchBoard, 'isOn'>;
  readonly onAnswer: PayoutParts['onAnswer'];
  /** Calls under way are to end. */
  readonly giveUp: AbortSignal;
}

export function startPayouts(
  { config, log, life, registry }: Process,
  { rails, switches, onAnswer, giveUp }: PayoutSetting,
): { stop(): Promise<void> } {
  const sql = openPostgres(config.databaseUrl, 'payouts', CONNECTIONS);
  life.onStop('postgres of payouts', () => closePostgres(sql));
  const clock = new PayoutClock({
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
    withDeadline(countOpenPayouts(sql), COUNT_DEADLINE_MS),
  );
  return {
    stop: async () => {
      stopMetrics();
      await clock.stop();
    },
  };
}
