// Publishes which methods this process can charge, and at which rails: one row each, refreshed while the process lives.
import { CHARGEABLE_METHODS } from '../core/payment-methods.js';
import { formatAmount } from '../core/money.js';
import { RAIL_NAMES } from '../core/rails/rail-names.js';
import { ConfigError } from '#ops/runtime/config.js';
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Postgres } from '#store/postgres/client.js';
import { type AvailabilityRow, putAvailability } from '#store/postgres/rails/rail-availability.js';
import type { Rail } from './adapters/rail.js';

/** Gateways trust a row for OFFER_SILENT_MS (core/rails/live-rails.ts), 15 times this. */
const PUBLISH_EVERY_MS = 1_000;

type Routes = ReadonlyMap<string, readonly string[]>;

/**
 * Accepts known rails that are not configured here, so that routes need not change when a rail is added.
 * @throws ConfigError when a route names an unknown method or rail
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

/** Ranks the rails of each method as its route does; without a route, in their configured order. */
export function listAvailability(rails: readonly Rail[], routes: Routes): AvailabilityRow[] {
  return CHARGEABLE_METHODS.flatMap((method) => {
    const route = routes.get(method) ?? rails.map(({ name }) => name);
    return rails.flatMap(({ name: rail, capabilities }): AvailabilityRow[] => {
      const rank = route.indexOf(rail);
      const capability = capabilities.methods[method];
      if (rank < 0 || capability === undefined) return [];
      const { minAmountMinor, maxAmountMinor, maxExpiresInS, isRefundable } = capability;
      const minAmount = formatAmount(minAmountMinor);
      const maxAmount = formatAmount(maxAmountMinor);
      return [{ rail, method, rank, minAmount, maxAmount, maxExpiresInS, isRefundable }];
    });
  });
}

export interface AvailabilityDeps {
  readonly sql: Postgres;
  readonly rails: readonly Rail[];
  readonly routes: Routes;
  readonly log: Log;
}

export function startAvailabilityPublisher({ sql, rails, routes, log }: AvailabilityDeps): Loop {
  const rows = listAvailability(rails, routes);
  return startLoop({
    name: 'availability of rails',
    everyMs: PUBLISH_EVERY_MS,
    log,
    work: async () => {
      if (rows.length > 0) await putAvailability(sql, rows);
    },
  });
}
