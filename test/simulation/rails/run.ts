// One run with LIVE payments: requests, customers and faults, then quiet until nothing is left to do, then the checks.
import { defineProtocol, type RunResult, type Violation } from '../protocol.js';
import { REFUND_UNRESOLVED_AFTER_MS } from '#actors/core/payment/refunds.js';
import { CHECKS, findLeftRefunds, findUnfinished } from './checks.js';
import { BEGIN } from './faults.js';
import { buildRailScenario, RAIL_FAULTS, type RailFault, type RailScenario } from './scenario.js';
import { RailsSimulation } from './simulation.js';

/**
 * After the last fault everything that waits is done within this time. A charge that its rail does not know counts as not
 * taken after five minutes at the earliest (absent-charges.ts).
 */
const DRAIN_MS = 1_200_000;
const ASK_EVERY_MS = 1_000;
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
  for (const step of scenario.steps) {
    world.schedule(step.atMs, () => {
      simulation.perform(step);
    });
  }
  scenario.faults.forEach((fault, index) => {
    scheduleFault(simulation, fault, index);
  });
  const ends = scenario.faults.map(({ atMs, lastsMs }) => atMs + lastsMs);
  await world.run(Math.max(0, ...ends, scenario.steps.at(-1)?.atMs ?? 0));
  const unfinished = await drain(simulation);
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

function scheduleFault(simulation: RailsSimulation, fault: RailFault, index: number): void {
  const { world, activeFaults } = simulation;
  world.schedule(fault.atMs, () => {
    world.trace(`fault ${fault.kind} begins`);
    activeFaults.set(index, fault.kind);
    const end = BEGIN[fault.kind](simulation, fault);
    world.schedule(fault.lastsMs, () => {
      world.trace(`fault ${fault.kind} ends`);
      activeFaults.delete(index);
      end();
    });
  });
}

/** Waits until nothing is left to do, and returns what is left when that takes too long. */
async function drain(simulation: RailsSimulation): Promise<string[]> {
  const { world } = simulation;
  let unfinished: string[] = [];
  let nextMs = world.nowMs;
  await world.run(world.nowMs + DRAIN_MS, () => {
    if (world.nowMs < nextMs) return false;
    nextMs = world.nowMs + ASK_EVERY_MS;
    unfinished = findUnfinished(simulation);
    return unfinished.length === 0;
  });
  return unfinished;
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
