// The daily reconciliation with rails, and those that operators ask for: claims one after the other, and works on it page by
// page. Any process may go on where another stopped; at most one page is read twice, and recorded once.
import type { RailName } from '#actors/core/rails/answers.js';
import { findLastRailDay } from '#actors/core/tasks/reconciliation.js';
import type { Log } from '#ops/runtime/log.js';
import { type RetryLoop, sleep } from '#ops/runtime/retry-loop.js';
import type {
  ClaimedReconciliation,
  ReconciledPage,
} from '#store/postgres/rails/reconciliations.js';
import type { Rail } from '../adapters/rail.js';
import { PAGE_TIMEOUT_MS, type ReconcilePageDeps, reconcilePage } from './reconcile-page.js';

const LOOK_EVERY_MS = 1_000;
const PLAN_EVERY_MS = 60_000;
/** A day is reconciled when its last settlements have had the time to be told. */
const AFTER_DAY_MS = 2 * 3_600_000;
/** What was missed while no process ran. */
const MISSED_MS = 7 * 24 * 3_600_000;
/** Of a page. */
export const LEASE_MS = PAGE_TIMEOUT_MS + 30_000;
const POSTPONED_MS = 60_000;
/** Then the orders of the page count as unanswered, and the next ones are asked about. */
const MOST_POSTPONED = 10;
/** A reconciliation with unanswered orders is done again. */
export const AGAIN = { inMs: 3_600_000, most: 24 };

export interface ReconcilerDeps extends ReconcilePageDeps {
  readonly stopping: AbortSignal;
  readonly rails: ReadonlyMap<RailName, Rail>;
  nowMs: () => number;
  /** Asks for the days that nobody has asked for yet. */
  plan: (fromDay: string, toDay: string) => Promise<void>;
  claim: () => Promise<ClaimedReconciliation | undefined>;
  record: (page: ReconciledPage) => Promise<boolean>;
  postpone: (key: ClaimedReconciliation, waitMs: number) => Promise<void>;
  readonly retryLoop: RetryLoop;
  readonly log: Log;
}

/** Runs until the process stops. */
export async function runReconciler(parts: ReconcilerDeps): Promise<void> {
  const { stopping, retryLoop } = parts;
  let plannedMs = -Infinity;
  while (!stopping.aborted) {
    try {
      if (performance.now() - plannedMs >= PLAN_EVERY_MS) {
        await planDays(parts);
        plannedMs = performance.now();
      }
      const claimed = await parts.claim();
      if (claimed !== undefined) await reconcileClaimed(parts, claimed);
      retryLoop.noteSuccess();
      if (claimed === undefined) await sleep(LOOK_EVERY_MS);
    } catch (error) {
      await retryLoop.waitAfter(error);
    }
  }
}

async function planDays({ nowMs, plan: ask }: ReconcilerDeps): Promise<void> {
  const overMs = nowMs() - AFTER_DAY_MS;
  await ask(findLastRailDay(overMs - MISSED_MS), findLastRailDay(overMs));
}

/** Until it has ended, the rail is silent, another has taken it over, or the process stops. */
async function reconcileClaimed(
  parts: ReconcilerDeps,
  claimed: ClaimedReconciliation,
): Promise<void> {
  const rail = parts.rails.get(claimed.rail);
  let key: ClaimedReconciliation = claimed;
  while (rail !== undefined && !parts.stopping.aborted) {
    const mayPostpone = key.postponed < MOST_POSTPONED;
    const page = await reconcilePage(parts, { key, rail, mayPostpone });
    if (page === undefined) {
      parts.log.warn({ rail: key.rail, day: key.day }, 'a rail is silent: it is reconciled later');
      await parts.postpone(key, POSTPONED_MS);
      return;
    }
    const isKept = await parts.record(page);
    if (isKept) logPage(parts, page);
    if (!isKept || page.next === null) return;
    key = { ...key, ...page.next, postponed: 0 };
  }
}

function logPage({ log }: ReconcilerDeps, { key, differences }: ReconciledPage): void {
  const { rail, day } = key;
  for (const { orderId, paymentId, kind, field } of differences) {
    log.error({ rail, day, orderId, paymentId, kind, field }, 'a rail and we differ');
  }
}
