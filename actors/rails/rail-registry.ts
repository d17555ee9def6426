// The registry of LIVE rails. A rail is one folder of adapters/ and one name in core/rails/rail-names.ts: its registration is
// loaded by its name, because the core and the gateway, which need the names, may not import the rails process.
// CONTRIBUTING.md explains how to add one.
import { LIVE_RAIL_NAMES, type LiveRailName, type RailName } from '../core/rails/rail-names.js';
import type { Config } from '#ops/runtime/config.js';
import type { RailVariables } from '#ops/runtime/environment/rail-variables.js';
import type { RailRegistration } from './adapters/define-rail.js';
import type { Rail } from './adapters/rail.js';
import { type BudgetDeps, checkBudgets, createRequestBudget } from './adapters/request-budget.js';

export interface OpenRails {
  readonly rails: ReadonlyMap<RailName, Rail>;
  /** Calls under way end as "unknown". */
  close(): Promise<void>;
}

/** The bundler puts every file of this pattern into the bundle. */
async function loadRegistration(name: LiveRailName): Promise<RailRegistration> {
  const { registration } = (await import(`./adapters/${name}/registration.js`)) as {
    readonly registration: RailRegistration;
  };
  return registration;
}

/** In the order of their names, in which rails are tried when no route gives another. */
const RAILS = await Promise.all(
  LIVE_RAIL_NAMES.map(async (name) => ({ name, ...(await loadRegistration(name)) })),
);

/** The variables of each LIVE rail. */
export const RAIL_VARIABLES: readonly RailVariables[] = RAILS.map(({ variables }) => variables);

/** @throws when the configured budgets name an operation that does not exist */
export function openRails(
  config: Config['rails'],
  deps: Omit<BudgetDeps, 'numbers'>,
  nowMs: () => number = Date.now,
): OpenRails {
  const numbers = config.budgets;
  checkBudgets(numbers, LIVE_RAIL_NAMES);
  const budgetFor = (rail: RailName) => createRequestBudget(rail, { ...deps, numbers });
  const opened = RAILS.flatMap(({ name, open }) => open(name, config, { nowMs, budgetFor }) ?? []);
  return {
    rails: new Map(opened.map(({ rail }) => [rail.name, rail])),
    close: async () => {
      await Promise.all(opened.map((rail) => rail.close()));
    },
  };
}
