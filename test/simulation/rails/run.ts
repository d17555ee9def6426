// One run with LIVE payments: requests, customers and faults, then quiet until nothing is left to do, then the checks.
import { drain, playScript } from '../play.js';
import { defineProtocol, type RunResult, type Violation } from '../protocol.js';
import { REFUND_UNRESOLVED_AFTER_MS } from '#actors/core/payment/refunds.js';
import { CHECKS, findLeftRefunds, findUnfinished } from './checks.js';
import { BEGIN } from './faults.js';
import { buildRailScenario, RAIL_FAULTS, type RailScenario } from './scenario.js';
import { RailsSimulation } from './simulation.js';

/**
 * After the last fault everything that waits is done within this time. A charge that its rail does not know counts as not
 * taken after five minutes at the earliest (absent-charges.ts).
 */
const DRAIN = { forMs: 1_200_000, askEveryMs: 1_000 } as const;
/** Twice the time between two searches for overdue refunds. */
const SEARCHED_MS = 15_000;
const SHOWN = 5;

/** LIVE payments: calls to rails, status inquiries, callbacks. */
export const RAILS = defineProtocol({
  name: 'rails',
  faults: RAIL_FAULTS,
  build: buildRailScenario,
  run: runRailScenario,
});

export async function runRailScenario(
  scenario: RailScenario,
  onTrace?: (line: string) => void,
): Promise<RunResult> {
  const simulation = new RailsSimulation(scenario.seed, onTrace);
  const { world, audit } = simulation;
  await playScript(simulation, scenario, {
    perform: (step) => simulation.perform(step),
    begin: (fault) => BEGIN[fault.kind](simulation, fault),
  });
  const unfinished = await drain(world, DRAIN, () => findUnfinished(simulation));
  if (findLeftRefunds(simulation).length > 0) await waitForTasks(simulation);
  return {
    seed: scenario.seed,
    violations: check(simulation, unfinished),
    digest: world.digest(),
    cells: audit.cells,
    counts: countOrders(simulation),
    virtualMs: world.nowMs,
  };
}

function countOrders({ servers, audit, postgres }: RailsSimulation): Record<string, number> {
  const orders = servers.flatMap(({ truth }) => [...truth.orders.values()]);
  return {
    commits: audit.commits,
    orders: orders.length,
    'orders paid': orders.filter(({ status }) => status === 'paid').length,
    refunds: servers.reduce((sum, { truth }) => sum + truth.refunds.length, 0),
    tasks: postgres.tables.tasks.size,
  };
}

/** Only the clock of Postgres decides what is overdue, so the hours until then need not be run. */
async function waitForTasks({ world, postgres }: RailsSimulation): Promise<void> {
  postgres.clockAheadMs += REFUND_UNRESOLVED_AFTER_MS;
  await world.run(world.nowMs + SEARCHED_MS);
}

function check(simulation: RailsSimulation, unfinished: readonly string[]): Violation[] {
  const found = Object.entries(CHECKS).map(([name, find]) => ({
    check: name,
    details: find(simulation).slice(0, SHOWN),
  }));
  const left = { check: 'progress: nothing is left to do', details: unfinished.slice(0, SHOWN) };
  return [...found, left].filter(({ details }) => details.length > 0);
}
