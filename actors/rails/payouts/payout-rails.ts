// Which rail sends a payout: in TEST the sandbox; in LIVE the first that is configured, can pay out and is
// switched on. Where none can, an administrator pays; where all that can are switched off, it waits.
import type { Environment } from '#actors/core/ids.js';
import type { RailName } from '#actors/core/rails/answers.js';
import type { Rail } from '../adapters/rail.js';
import { createSandboxRail } from '../adapters/sandbox.js';

export type RailChoice = Rail | 'by_hand' | 'held';

export interface PayoutRails {
  readonly pick: (environment: Environment) => RailChoice;
  readonly find: (name: RailName) => Rail | undefined;
  /** Those that can be asked what became of a payout. */
  readonly names: readonly RailName[];
}

/** `live`: the rails that are configured, in their order. */
export function createPayoutRails(
  live: readonly Rail[],
  isOn: (name: `rail:${string}`) => boolean,
): PayoutRails {
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
