// Chooses the rail of a payout. In TEST it is the sandbox; in LIVE the first rail that is configured, pays out and is
// switched on. Without such a rail an administrator pays; while all of them are switched off, the payout is held. It is held
// too while the rail's circuit breaker is open: another rail may lack the money, and an operator can switch this one off.
import type { Environment } from '#actors/core/ids.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { CircuitBreaker } from '#ops/runtime/circuit-breaker.js';
import type { KillSwitches } from '#store/postgres/operations/kill-switches.js';
import type { Rail } from '../adapters/rail.js';
import { createSandboxRail } from '../adapters/sandbox.js';
import { type CircuitBreakerReading, createRailBreaker } from '../calls/rail-breakers.js';

export interface PayingRail {
  readonly rail: Rail;
  /** undefined: the sandbox has none. */
  readonly breaker: CircuitBreaker | undefined;
}

export type RailChoice = PayingRail | 'by_hand' | 'held';

export interface PayoutRails {
  readonly pick: (environment: Environment) => RailChoice;
  readonly find: (name: RailName) => Rail | undefined;
  /** Rails that can answer a status inquiry about a payout. */
  readonly names: readonly RailName[];
  readonly readCircuitBreakers: () => readonly CircuitBreakerReading[];
}

interface PayoutRailsDeps {
  /** The configured LIVE rails, in their order. */
  readonly rails: readonly Rail[];
  readonly isOn: KillSwitches['isOn'];
  /** The time-out of one call. */
  readonly timeoutMs: number;
}

export function createPayoutRails({ rails, isOn, timeoutMs }: PayoutRailsDeps): PayoutRails {
  const sandbox = createSandboxRail();
  const paying = rails
    .filter(({ capabilities }) => capabilities.canPayOut)
    .map((rail) => ({ rail, breaker: createRailBreaker(timeoutMs) }));
  const all = [sandbox, ...paying.map(({ rail }) => rail)];
  return {
    pick: (environment) => {
      if (environment === 'TEST') return { rail: sandbox, breaker: undefined };
      if (paying.length === 0) return 'by_hand';
      const chosen = paying.find(({ rail }) => isOn(`rail:${rail.name}`));
      const isAllowed = chosen?.breaker.countAllowed(1, performance.now()) === 1;
      return isAllowed ? chosen : 'held';
    },
    find: (name) => all.find((rail) => rail.name === name),
    names: all.map(({ name }) => name),
    readCircuitBreakers: () =>
      paying.map(({ rail, breaker }) => [rail.name, 'payout', breaker.state] as const),
  };
}
