// Chooses the rail of a payout. In TEST it is the sandbox; in LIVE the first rail that is configured, pays out and is
// switched on. Without such a rail an administrator pays; while all of them are switched off, the payout is held.
import type { Environment } from '#actors/core/ids.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { KillSwitches } from '#store/postgres/operations/kill-switches.js';
import type { Rail } from '../adapters/rail.js';
import { createSandboxRail } from '../adapters/sandbox.js';

export type RailChoice = Rail | 'by_hand' | 'held';

export interface PayoutRails {
  readonly pick: (environment: Environment) => RailChoice;
  readonly find: (name: RailName) => Rail | undefined;
  /** Rails that can answer a status inquiry about a payout. */
  readonly names: readonly RailName[];
}

/** `live`: the configured rails, in their order. */
export function createPayoutRails(live: readonly Rail[], isOn: KillSwitches['isOn']): PayoutRails {
  const sandbox = createSandboxRail();
  const paying = live.filter(({ capabilities }) => capabilities.canPayOut);
  const all = [sandbox, ...paying];
  return {
    pick: (environment) => {
      if (environment === 'TEST') return sandbox;
      if (paying.length === 0) return 'by_hand';
      return paying.find(({ name }) => isOn(`rail:${name}`)) ?? 'held';
    },
    find: (name) => all.find((rail) => rail.name === name),
    names: all.map(({ name }) => name),
  };
}
