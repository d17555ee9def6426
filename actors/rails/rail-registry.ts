// The registry of LIVE rails: each has a folder in adapters/, one entry in RAILS, and its name in core/rails/rail-names.ts.
// CONTRIBUTING.md explains how to add one.
import { LIVE_RAIL_NAMES, type RailName } from '../core/rails/rail-names.js';
import type { Config } from '#ops/runtime/config.js';
import { openMidtrans } from './adapters/midtrans/adapter.js';
import type { OpenDeps, OpenRail, Rail } from './adapters/rail.js';
import { type BudgetDeps, checkBudgets, createRequestBudget } from './adapters/request-budget.js';
import { openXendit } from './adapters/xendit/adapter.js';

export interface OpenRails {
  readonly rails: ReadonlyMap<RailName, Rail>;
  /** Calls under way end as "unknown". */
  close(): Promise<void>;
}

/** Returns null when the rail is not configured. */
type Open = (config: Config['rails'], deps: OpenDeps) => OpenRail | null;

/** The order in which rails are tried when no route gives another. */
const RAILS: readonly Open[] = [openMidtrans, openXendit];

/** @throws when the configured budgets name an operation that does not exist */
export function openRails(
  config: Config['rails'],
  deps: Omit<BudgetDeps, 'numbers'>,
  nowMs: () => number = Date.now,
): OpenRails {
  const numbers = config.budgets;
  checkBudgets(numbers, LIVE_RAIL_NAMES);
  const budgetFor = (rail: RailName) => createRequestBudget(rail, { ...deps, numbers });
  const opened = RAILS.flatMap((open) => open(config, { nowMs, budgetFor }) ?? []);
  return {
    rails: new Map(opened.map(({ rail }) => [rail.name, rail])),
    close: async () => {
      await Promise.all(opened.map((rail) => rail.close()));
    },
  };
}
