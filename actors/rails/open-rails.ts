// The rails of this installation: those whose variables are given.
import { CHARGEABLE_METHODS } from '../core/payment-methods.js';
import { RAIL_NAMES } from '../core/rails/answers.js';
import { type Config, ConfigError } from '../../ops/runtime/config.js';
import type { Rail } from './adapters/rail.js';

/** @throws ConfigError when routes name what does not exist */
export function openRails({ routes }: Config['rails']): readonly Rail[] {
  checkRoutes(routes);
  return [];
}

/** A rail that is known and off here is left out: routes need not change when it is switched on. */
function checkRoutes(routes: Config['rails']['routes']): void {
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
