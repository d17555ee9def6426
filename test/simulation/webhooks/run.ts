// One run of webhooks: events, changes and faults, then quiet until nothing is left to do, then the checks.
import { defineProtocol, type RunResult } from '../protocol.js';
import { checkWebhooks, findUnfinished, findWrongGauges } from './checks.js';
import { BEGIN } from './faults.js';
import {
  buildWebhookScenario,
  WEBHOOK_FAULTS,
  type WebhookFault,
  type WebhookScenario,
} from './scenario.js';
import { WebhooksSimulation } from './simulation.js';

/**
 * After the last fault everything is delivered or dead within this time: a lease (12 s), all attempts with their waits
 * and the longest pauses of a breaker.
 */
const DRAIN_MS = 60_000;
const ASK_EVERY_MS = 50;
/** Then the gauges were set again, and nothing more may be attempted. */
const REST_MS = 6_000;
/** Then idle lanes are forgotten, with their breakers. Only some seeds wait for it. */
const FORGET_MS = 65_000;
const FORGETS_OF = 10;

export const WEBHOOKS = defineProtocol({
  name: 'webhooks',
  faults: WEBHOOK_FAULTS,
  build: buildWebhookScenario,
  run: runWebhooks,
});

export async function runWebhooks(
  scenario: WebhookScenario,
  onTrace?: (line: string) => void,
): Promise<RunResult> {
  const simulation = new WebhooksSimulation(scenario, onTrace);
  const { world } = simulation;
  for (const { atMs, operation } of scenario.steps) {
    world.schedule(atMs, () => {
      simulation.perform(operation);
    });
  }
  scenario.faults.forEach((fault, index) => {
    scheduleFault(simulation, fault, index);
  });
  const ends = scenario.faults.map(({ atMs, lastsMs }) => atMs + lastsMs);
  await world.run(Math.max(0, ...ends, scenario.steps.at(-1)?.atMs ?? 0));
  const faultsEndMs = world.nowMs;
  const unfinished = await drain(simulation);
  const drainedMs = world.nowMs - faultsEndMs;
  const attempts = simulation.receivers.attempts.length;
  const hasForgotten = scenario.seed % FORGETS_OF === 0;
  await world.run(world.nowMs + (hasForgotten ? FORGET_MS : REST_MS));
  const late = simulation.receivers.attempts.slice(attempts);
  const gauges = await findWrongGauges(simulation);
  const violations = checkWebhooks(simulation, scenario, {
    'progress: nothing is left to do': unfinished,
    'nothing is attempted afterwards': late.map(({ eventId }) => `${eventId} is attempted again`),
    'the gauges show that nothing is left': gauges.filter(
      (gauge) => hasForgotten || !gauge.startsWith('webhook_breakers_open'),
    ),
  });
  return {
    ...{ seed: scenario.seed, violations, digest: world.digest(), cells: simulation.audit.cells },
    counts: countResults(simulation, drainedMs),
    virtualMs: world.nowMs,
  };
}

function countResults({ receivers, audit, postgres }: WebhooksSimulation, drainedMs: number) {
  const rows = postgres.tables.deliveries.values();
  const repeated = [...audit.begun].map(
    ([id, begun]) => begun - (postgres.tables.deliveries.get(id)?.attempts ?? 0),
  );
  return {
    attempts: receivers.attempts.length,
    'repeated attempts': repeated.reduce((sum, count) => sum + Math.max(0, count), 0),
    deliveries: rows.length,
    'dead deliveries': rows.filter(({ status }) => status === 'dead').length,
    'drains longer than 20 s': drainedMs > 20_000 ? 1 : 0,
  };
}

function scheduleFault(simulation: WebhooksSimulation, fault: WebhookFault, index: number): void {
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
async function drain(simulation: WebhooksSimulation): Promise<string[]> {
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
