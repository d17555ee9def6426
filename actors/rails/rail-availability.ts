// Tells gateways what can be offered: a row for each method that a rail here has, kept fresh while this process lives.
import { CHARGEABLE_METHODS } from '../core/payment-methods.js';
import { formatAmount } from '../core/money.js';
import { RAIL_NAMES } from '../core/rails/answers.js';
import { ConfigError } from '#ops/runtime/config.js';
import type { AvailabilityRow } from '#store/postgres/rails/rail-availability.js';
import { type RetryLoop, sleep } from '#ops/runtime/retry-loop.js';
import type { Rail } from './adapters/rail.js';

/** Gateways believe a row for OFFER_SILENT_MS (core/rails/live-rails.ts). */
const TELL_EVERY_MS = 1_000;

export interface AvailabilityPublisherDeps {
  readonly stopping: AbortSignal;
  readonly rows: readonly AvailabilityRow[];
  put: (offers: readonly AvailabilityRow[]) => Promise<void>;
  readonly retryLoop: RetryLoop;
}

type Routes = ReadonlyMap<string, readonly string[]>;

/**
 * A rail that is known and off here is left out: routes need not change when it is switched on.
 * @throws ConfigError when routes name what does not exist
 */
export function checkRoutes(routes: Routes): void {
  const methods: readonly string[] = CHARGEABLE_METHODS;
  const names: readonly string[] = RAIL_NAMES;
  const faults = [...routes].flatMap(([method, rails]) => [
    ...(methods.includes(method) ? [] : [`RAIL_ROUTES: there is no method ${method}`]),
    ...rails
      .filter((rail) => !names.includes(rail))
      .map((rail) => `RAIL_ROUTES: there is no rail ${rail}`),
  ]);
  if (faults.length > 0) throw new ConfigError(faults);
}

/** Rails of each method in the order to try them: as routed, else as they are listed here. */
export function listAvailability(rails: readonly Rail[], routes: Routes): AvailabilityRow[] {
  return CHARGEABLE_METHODS.flatMap((method) => {
    const route = routes.get(method) ?? rails.map(({ name }) => name);
    return rails.flatMap(({ name: rail, capabilities }): AvailabilityRow[] => {
      const rank = route.indexOf(rail);
      const capability = capabilities.methods[method];
      if (rank < 0 || capability === undefined) return [];
      const { minAmountMinor, maxAmountMinor, isRefundable } = capability;
      const minAmount = formatAmount(minAmountMinor);
      return [
        { rail, method, rank, minAmount, maxAmount: formatAmount(maxAmountMinor), isRefundable },
      ];
    });
  });
}

/** Runs until the process stops. */
export async function runAvailabilityPublisher({
  stopping,
  rows,
  put,
  retryLoop,
}: AvailabilityPublisherDeps): Promise<void> {
  while (!stopping.aborted && rows.length > 0) {
    try {
      await put(rows);
      retryLoop.noteSuccess();
      await sleep(TELL_EVERY_MS);
    } catch (error) {
      await retryLoop.waitAfter(error);
    }
  }
}
