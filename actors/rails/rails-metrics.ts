// Metrics of the rails process. Labels are closed sets, never ids; only operators see the names of rails.
import { LIVE_RAIL_NAMES } from '#actors/core/rails/rail-names.js';
import { CURRENCY_CODES } from '#actors/core/money.js';
import { TASK_KINDS } from '#actors/core/tasks/kinds.js';
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import {
  ANY_VALUE,
  createCounter,
  createGauge,
  createHistogram,
  type Registry,
} from '#ops/runtime/metrics.js';
import type { Tracer } from '#ops/runtime/tracing/tracer.js';
import type { Postgres } from '#store/postgres/client.js';
import { sumSuspense } from '#store/postgres/ledger/sum-suspense.js';
import { countOpenPayouts } from '#store/postgres/payouts/count-payouts.js';
import { countUnknownCalls } from '#store/postgres/rails/inquiries.js';
import { countPendingCommands } from '#store/postgres/rails/pending-commands.js';
import { countReconciliations } from '#store/postgres/rails/read-reconciliations.js';
import { countWaitingApprovals } from '#store/postgres/approvals/list-approvals.js';
import { countOpenTasks } from '#store/postgres/tasks/count-tasks.js';
import { CALLBACK_OUTCOMES, type CallbackOutcome } from '#store/redis/callbacks.js';
import { RAIL_OPERATIONS, type RailOperation } from './adapters/request-budget.js';
import type { CircuitBreakerReading } from './calls/rail-breakers.js';

const POLL_EVERY_MS = 5_000;
/** A pending command should take effect within this time. */
const LATE_COMMAND_MS = 5_000;
const OPEN_PAYOUTS = ['PENDING', 'PROCESSING', 'MANUAL_REQUIRED'] as const;
const OPEN_APPROVALS = ['proposed', 'approved'] as const;
const DIFFERENCES = ['missing', 'orphan', 'differing', 'unanswered'] as const;
const RAILS: readonly string[] = LIVE_RAIL_NAMES;
/** A rail that accepts a payout may fail it later, which a look-up brings to light. */
const MONEY_OUT: Readonly<Record<string, 'payout' | 'refund'>> = {
  payout: 'payout',
  payout_look_up: 'payout',
  refund: 'refund',
};
const ACCEPTED: ReadonlySet<string> = new Set(['completed', 'succeeded', 'pending']);
const BREAKER_VALUES: Readonly<Record<CircuitBreakerReading[2], number>> = {
  closed: 0,
  probing: 1,
  open: 2,
};

export interface RailsMetrics {
  readonly onAnswer: (rail: string, operation: string, outcome: string, durationMs: number) => void;
  readonly onCallback: (rail: string, outcome: CallbackOutcome) => void;
  /** A rail answered 429. */
  readonly onThrottled: (rail: string, operation: RailOperation) => void;
}

/** An answer is noted in the span of its call, too. */
export function createRailsMetrics(registry: Registry, tracer?: Tracer): RailsMetrics {
  const seconds = createHistogram(
    registry,
    'rail_request_seconds',
    'Duration of a call to a rail',
    { labelNames: ['rail', 'operation', 'outcome'] },
  );
  const callbacks = createCounter(registry, 'rail_callbacks_total', 'Callbacks of rails', {
    rail: RAILS,
    outcome: CALLBACK_OUTCOMES,
  });
  const throttled = createCounter(registry, 'rail_throttled_total', 'Replies 429 of rails', {
    rail: RAILS,
    operation: RAIL_OPERATIONS,
  });
  const countMoneyOut = createMoneyOutCounter(registry);
  return {
    onThrottled: (rail, operation) => {
      throttled.inc({ rail, operation });
    },
    onAnswer: (rail, operation, outcome, durationMs) => {
      seconds.observe({ rail, operation, outcome }, durationMs / 1000);
      countMoneyOut(rail, operation, outcome);
      tracer?.active()?.set({ 'kasir.rail.outcome': outcome });
    },
    onCallback: (rail, outcome) => {
      callbacks.inc({ rail, outcome });
    },
  };
}

function createMoneyOutCounter(
  registry: Registry,
): (rail: string, operation: string, outcome: string) => void {
  const help =
    'Payouts and refunds that a rail accepted when they were sent, or failed then or later';
  const counter = createCounter(registry, 'rail_money_out_total', help, {
    rail: RAILS,
    operation: ['payout', 'refund'],
    outcome: ['accepted', 'failed'],
  });
  return (rail, called, outcome) => {
    const operation = MONEY_OUT[called];
    // TEST money fails when its merchant wants it to.
    if (operation === undefined || !RAILS.includes(rail)) return;
    if (outcome === 'failed') counter.inc({ rail, operation, outcome });
    // A look-up of an accepted payout counts it no second time.
    else if (called === operation && ACCEPTED.has(outcome)) {
      counter.inc({ rail, operation, outcome: 'accepted' });
    }
  };
}

export function createBreakerGauge(
  registry: Registry,
  owners: readonly { readonly readCircuitBreakers: () => readonly CircuitBreakerReading[] }[],
): void {
  createGauge(registry, 'rail_circuit_breaker_state', '0 closed, 1 probing, 2 open', {
    labels: { rail: ANY_VALUE, operation: ANY_VALUE },
    read: (gauge) => {
      const readings = owners.flatMap(({ readCircuitBreakers }) => readCircuitBreakers());
      for (const [rail, operation, state] of readings) {
        gauge.set({ rail, operation }, BREAKER_VALUES[state]);
      }
    },
  });
}

export interface MetricsPollerDeps {
  readonly registry: Registry;
  /** For statements that find rows by key, and for those that read whole tables. */
  readonly reads: Postgres;
  readonly background: Postgres;
  readonly log: Log;
}

/** Polls the counts that only Postgres knows. While Postgres is away, the last values stay. */
export function startMetricsPoller(deps: MetricsPollerDeps): Loop {
  const { registry, reads, background, log } = deps;
  const polls = [
    pollUnknownCalls(registry, reads),
    pollSuspense(registry, background),
    pollPendingCommands(registry, background),
    pollPayouts(registry, background),
    pollReconciliations(registry, background),
    pollTasks(registry, background),
    pollApprovals(registry, background),
  ];
  return startLoop({
    name: 'metrics of rails',
    everyMs: POLL_EVERY_MS,
    log,
    work: async () => {
      for (const poll of polls) await poll();
    },
  });
}

type Poll = () => Promise<void>;

function pollUnknownCalls(registry: Registry, sql: Postgres): Poll {
  const help = 'Calls without an answer of their rail; status inquiries go on';
  const gauge = createGauge(registry, 'rail_unknown_outcomes', help, { labels: { rail: RAILS } });
  return async () => {
    const counts = await countUnknownCalls(sql);
    for (const rail of RAILS) gauge.set({ rail }, counts.get(rail) ?? 0);
  };
}

function pollSuspense(registry: Registry, sql: Postgres): Poll {
  const help = 'Money in suspense accounts, in minor units';
  const labels = { currency: CURRENCY_CODES };
  const gauge = createGauge(registry, 'suspense_amount', help, { labels });
  return async () => {
    const amounts = await sumSuspense(sql);
    // A rail may have sent a currency that no payment takes.
    const currencies = new Set([...CURRENCY_CODES, ...amounts.keys()]);
    for (const currency of currencies) gauge.set({ currency }, amounts.get(currency) ?? 0);
  };
}

function pollPendingCommands(registry: Registry, sql: Postgres): Poll {
  const help = 'Answers of rails that payments do not show yet';
  const gauge = createGauge(registry, 'rail_facts_waiting', help);
  return async () => {
    gauge.set(await countPendingCommands(sql, LATE_COMMAND_MS));
  };
}

function pollPayouts(registry: Registry, sql: Postgres): Poll {
  const open = createGauge(registry, 'payouts_open', 'Payouts that have not ended, by status', {
    labels: { status: OPEN_PAYOUTS },
  });
  const help = 'Payouts whose rail has not said how they ended';
  const unknown = createGauge(registry, 'payout_unknown_outcomes', help);
  return async () => {
    const counted = await countOpenPayouts(sql);
    for (const status of OPEN_PAYOUTS) open.set({ status }, counted.byStatus.get(status) ?? 0);
    unknown.set(counted.unknown);
  };
}

function pollTasks(registry: Registry, sql: Postgres): Poll {
  const labels = { labels: { kind: TASK_KINDS } };
  const help = 'Open operator tasks about LIVE money';
  const open = createGauge(registry, 'operator_tasks_open', help, labels);
  const ageHelp = 'Age of the oldest open operator task about LIVE money';
  const age = createGauge(registry, 'operator_tasks_oldest_seconds', ageHelp, labels);
  return async () => {
    const tasks = new Map((await countOpenTasks(sql)).map((one) => [one.kind, one]));
    for (const kind of TASK_KINDS) {
      open.set({ kind }, tasks.get(kind)?.count ?? 0);
      age.set({ kind }, tasks.get(kind)?.ageS ?? 0);
    }
  };
}

function pollApprovals(registry: Registry, sql: Postgres): Poll {
  const labels = { labels: { status: OPEN_APPROVALS } };
  const help = 'Approvals that have not ended, by status';
  const open = createGauge(registry, 'approvals_open', help, labels);
  const ageHelp = 'Time since the oldest of them was proposed, or approved';
  const age = createGauge(registry, 'approvals_oldest_seconds', ageHelp, labels);
  return async () => {
    const waiting = new Map((await countWaitingApprovals(sql)).map((one) => [one.status, one]));
    for (const status of OPEN_APPROVALS) {
      open.set({ status }, waiting.get(status)?.count ?? 0);
      age.set({ status }, waiting.get(status)?.ageS ?? 0);
    }
  };
}

function pollReconciliations(registry: Registry, sql: Postgres): Poll {
  const differences = createGauge(
    registry,
    'rail_reconciliation_differences',
    'Orders that differ from their rail, in the reconciliations of the last week',
    { labels: { rail: RAILS, kind: DIFFERENCES } },
  );
  const age = createGauge(
    registry,
    'rail_reconciliation_age_seconds',
    'Time since the end of the last reconciled day, or of the first planned one',
    { labels: { rail: RAILS } },
  );
  return async () => {
    for (const { rail, ageS, ...counts } of await countReconciliations(sql)) {
      for (const kind of DIFFERENCES) differences.set({ rail, kind }, counts[kind]);
      age.set({ rail }, ageS);
    }
  };
}
