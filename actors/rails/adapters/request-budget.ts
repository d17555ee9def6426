// The requests that a rail may get: a budget per minute for each operation, which all rails processes share
// (store/redis/limits/buckets.ts). A request beyond the budget waits. After a reply 429 its operation pauses in this process, so
// that each process meets a limit of the rail at most once per pause.
import { setTimeout } from 'node:timers/promises';
import { StartError } from '#ops/runtime/config.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { Buckets } from '#store/redis/limits/buckets.js';

/** inquiry: every request that only reads. */
export const RAIL_OPERATIONS = ['charge', 'close', 'refund', 'payout', 'inquiry'] as const;
export type RailOperation = (typeof RAIL_OPERATIONS)[number];

const MINUTE_MS = 60_000;
/** A budget that was not used for ten seconds may be used at once. */
const BURST_MS = 10_000;

export interface RequestBudget {
  /** Waits for its turn. false: `signal` was aborted first, so the request must not be sent. */
  readonly take: (operation: RailOperation, signal: AbortSignal) => Promise<boolean>;
  readonly pause: (operation: RailOperation, ms: number) => void;
}

/** Requests per minute by `operation` or `rail.operation`, where the latter counts; 0 or none: unlimited. */
export type BudgetNumbers = ReadonlyMap<string, number>;

export interface BudgetDeps {
  readonly numbers: BudgetNumbers;
  readonly buckets: Pick<Buckets, 'take'>;
  /** Called after each reply 429. */
  readonly onThrottled: (rail: RailName, operation: RailOperation) => void;
}

export function createRequestBudget(
  rail: RailName,
  { numbers, buckets, onThrottled }: BudgetDeps,
): RequestBudget {
  const pausedUntilMs = new Map<RailOperation, number>();
  const findWaitMs = (operation: RailOperation): number => {
    const pausedMs = (pausedUntilMs.get(operation) ?? 0) - performance.now();
    if (pausedMs > 0) return pausedMs;
    const perMinute = numbers.get(`${rail}.${operation}`) ?? numbers.get(operation) ?? 0;
    if (perMinute === 0) return 0;
    const costMs = MINUTE_MS / perMinute;
    const rule = { costMs, burst: Math.max(1, Math.floor(BURST_MS / costMs)) };
    return buckets.take(`rail:${rail}:${operation}`, rule).waitMs;
  };
  return {
    take: async (operation, signal) => {
      while (!signal.aborted) {
        const waitMs = findWaitMs(operation);
        if (waitMs === 0) return true;
        // Rejects when the signal is aborted, which the loop sees.
        await setTimeout(Math.ceil(waitMs), undefined, { signal }).catch(() => {});
      }
      return false;
    },
    pause: (operation, ms) => {
      pausedUntilMs.set(operation, performance.now() + ms);
      onThrottled(rail, operation);
    },
  };
}

/** @throws when a name is no operation of a rail, so that a process does not start with a budget that has no effect */
export function checkBudgets(numbers: BudgetNumbers, rails: readonly RailName[]): void {
  const allowed = RAIL_OPERATIONS.flatMap((operation) => [
    operation as string,
    ...rails.map((rail) => `${rail}.${operation}`),
  ]);
  for (const name of numbers.keys()) {
    if (!allowed.includes(name)) {
      throw new StartError(`RAIL_BUDGETS: ${name} must be one of ${allowed.join(', ')}`);
    }
  }
}
