// The nightly reconciliation with rails, and those that operators request. The loop claims one at a time and processes it
// page by page. Any process may continue where another stopped; at most one page is read twice, and each is recorded once.
import type { RailName } from '#actors/core/rails/rail-names.js';
import { findLastRailDay } from '#actors/core/tasks/rail-days.js';
import type { Log } from '#ops/runtime/log.js';
import { startLoop } from '#ops/runtime/loop.js';
import type { Process } from '#ops/runtime/process.js';
import { closePostgres, openPostgres, type Postgres } from '#store/postgres/client.js';
import {
  type ClaimedReconciliation,
  claimReconciliation,
  planReconciliations,
  postponeReconciliation,
  type ReconciledPage,
  recordPage,
} from '#store/postgres/rails/reconciliations.js';
import type { Rail } from '../adapters/rail.js';
import { PAGE_TIMEOUT_MS, reconcilePage } from './reconcile-page.js';

const CONNECTIONS = 1;
const CLAIM_EVERY_MS = 1_000;
const PLAN_EVERY_MS = 60_000;
/** A day is reconciled two hours after its end, when its last settlements have arrived. */
const AFTER_DAY_MS = 2 * 3_600_000;
/** Days that were missed while no process ran are planned for a week. */
const MISSED_MS = 7 * 24 * 3_600_000;
/** The lease on one page. */
const LEASE_MS = PAGE_TIMEOUT_MS + 30_000;
const POSTPONED_MS = 60_000;
/** After that many, the orders of the page count as unanswered and the next page follows. */
const MAX_POSTPONED = 10;
/** A reconciliation with unanswered orders is repeated. */
const AGAIN = { inMs: 3_600_000, most: 24 };

interface ReconcilerDeps {
  readonly sql: Postgres;
  readonly rails: ReadonlyMap<RailName, Rail>;
  readonly log: Log;
}

export function startReconciler(
  { config, log, lifecycle }: Process,
  rails: ReadonlyMap<RailName, Rail>,
): { stop: () => Promise<void> } {
  const sql = openPostgres(config.databaseUrl, 'reconciliation', CONNECTIONS);
  lifecycle.onStop('postgres of reconciliation', () => closePostgres(sql));
  const names = [...rails.keys()];
  let plannedMs = -Infinity;
  return startLoop({
    name: 'reconciliation',
    everyMs: CLAIM_EVERY_MS,
    log,
    work: async (stopping) => {
      if (performance.now() - plannedMs >= PLAN_EVERY_MS) {
        await planDays(sql, names);
        plannedMs = performance.now();
      }
      const claimed = await claimReconciliation(sql, names, LEASE_MS);
      if (claimed === undefined) return undefined;
      await reconcileClaimed({ sql, rails, log }, claimed, stopping);
      return 0;
    },
  });
}

async function planDays(sql: Postgres, names: readonly RailName[]): Promise<void> {
  const endedMs = Date.now() - AFTER_DAY_MS;
  await planReconciliations(
    sql,
    names,
    findLastRailDay(endedMs - MISSED_MS),
    findLastRailDay(endedMs),
  );
}

/** Processes pages until the reconciliation ends, the rail is silent, another process takes over, or this one stops. */
async function reconcileClaimed(
  { sql, rails, log }: ReconcilerDeps,
  claimed: ClaimedReconciliation,
  stopping: AbortSignal,
): Promise<void> {
  const rail = rails.get(claimed.rail);
  let key: ClaimedReconciliation = claimed;
  while (rail !== undefined && !stopping.aborted) {
    const canPostpone = key.postponed < MAX_POSTPONED;
    const page = await reconcilePage(sql, { key, rail, canPostpone, stopping });
    // A page that was cut off by the stop is left to the next process.
    if (stopping.aborted) return;
    if (page === undefined) {
      log.warn(
        { rail: key.rail, day: key.day },
        'a rail is silent: its reconciliation is postponed',
      );
      await postponeReconciliation(sql, key, POSTPONED_MS);
      return;
    }
    const isRecorded = await recordPage(sql, page, LEASE_MS, AGAIN);
    if (isRecorded) logDifferences(log, page);
    if (!isRecorded || page.next === null) return;
    key = { ...key, ...page.next, postponed: 0 };
  }
}

function logDifferences(log: Log, { key, differences }: ReconciledPage): void {
  const { rail, day } = key;
  for (const { orderId, paymentId, kind, field } of differences) {
    log.error(
      { rail, day, orderId, paymentId, kind, field },
      'an order or payout differs from its rail',
    );
  }
}
