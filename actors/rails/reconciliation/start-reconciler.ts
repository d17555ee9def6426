// Reconciliation within the rails process: its connection, its loop and its figures.
import type { RailName } from '#actors/core/rails/answers.js';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import { createGauge } from '#ops/runtime/metrics.js';
import { RetryLoop } from '#ops/runtime/retry-loop.js';
import type { Process } from '#ops/runtime/process.js';
import { closePostgres, openPostgres } from '#store/postgres/client.js';
import { countReconciliations } from '#store/postgres/rails/read-reconciliations.js';
import * as orders from '#store/postgres/rails/reconciled-orders.js';
import * as runs from '#store/postgres/rails/reconciliations.js';
import type { Rail } from '../adapters/rail.js';
import { AGAIN, LEASE_MS, runReconciler } from './reconciler.js';

const CONNECTIONS = 1;
const STATEMENT_DEADLINE_MS = 5_000;
const COUNT_EVERY_MS = 5_000;

/** Runs until the process stops; `giveUp` ends questions under way. */
export async function startReconciler(
  { config, log, lifecycle, registry }: Process,
  rails: ReadonlyMap<RailName, Rail>,
  giveUp: AbortSignal,
): Promise<void> {
  const sql = openPostgres(config.databaseUrl, 'reconciliation', CONNECTIONS);
  lifecycle.onStop('postgres of reconciliation', () => closePostgres(sql));
  const bounded = <Value>(statement: Promise<Value>): Promise<Value> =>
    runWithDeadline(statement, STATEMENT_DEADLINE_MS);
  const names = [...rails.keys()];
  const figures = createFigures(registry);
  const count = (): void => {
    bounded(countReconciliations(sql)).then(figures, () => {});
  };
  const timer = setInterval(count, COUNT_EVERY_MS);
  count();
  await runReconciler({
    stopping: lifecycle.stopping,
    rails,
    nowMs: () => Date.now(),
    plan: (from, to) => bounded(runs.planReconciliations(sql, names, from, to)),
    claim: () => bounded(runs.claimReconciliation(sql, names, LEASE_MS)),
    record: (page) => bounded(runs.recordPage(sql, page, LEASE_MS, AGAIN)),
    postpone: (key, waitMs) => bounded(runs.postponeReconciliation(sql, key, waitMs)),
    loadPayments: ({ rail }, day, page) => bounded(orders.loadPaymentsOfDay(sql, rail, day, page)),
    findPayments: ({ rail }, ids) => bounded(orders.findPaymentsOfOrders(sql, rail, ids)),
    findSightings: (key, ids) => bounded(orders.findSightings(sql, key, ids)),
    giveUp,
    retryLoop: new RetryLoop(log, 'reconciliation'),
    log,
  });
  clearInterval(timer);
}

type Figures = Awaited<ReturnType<typeof countReconciliations>>;

function createFigures(registry: Process['registry']): (figures: Figures) => void {
  const found = createGauge(
    registry,
    'rail_reconciliation_differences',
    'Orders that a rail and we see differently, in the reconciliations of the last week',
    { labelNames: ['rail', 'kind'] },
  );
  const age = createGauge(
    registry,
    'rail_reconciliation_age_seconds',
    'Time since the end of the last day that was reconciled',
    { labelNames: ['rail'] },
  );
  return (figures) => {
    for (const { rail, ageS, missing, orphan, differing, unanswered } of figures) {
      for (const [kind, value] of Object.entries({ missing, orphan, differing, unanswered })) {
        found.set({ rail, kind }, value);
      }
      if (ageS !== null) age.set({ rail }, ageS);
    }
  };
}
