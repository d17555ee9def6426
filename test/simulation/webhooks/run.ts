// One run of webhooks: events, changes and faults, then quiet until nothing is left to do, then the checks.
import { drain, playScript } from '../play.js';
import { defineProtocol, type RunResult } from '../protocol.js';
import { checkWebhooks, findUnfinished, findWrongGauges } from './checks.js';
import { BEGIN } from './faults.js';
import { buildWebhookScenario, WEBHOOK_FAULTS, type WebhookScenario } from './scenario.js';
import { WebhooksSimulation } from './simulation.js';

/**
 * After the last fault everything is delivered or dead within this time: a lease (12 s), all attempts with their waits
 * and two of the longest pauses of a breaker (30 s), when the probe after the first one fails.
 */
const DRAIN = { forMs: 90_000, askEveryMs: 50 } as const;
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
  await playScript(simulation, scenario, {
    perform: ({ operation }) => simulation.perform(operation),
    begin: (fault) => BEGIN[fault.kind](simulation, fault),
  });
  const faultsEndMs = world.nowMs;
  const unfinished = await drain(world, DRAIN, () => findUnfinished(simulation));
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
      (gauge) => hasForgotten || !gauge.startsWith('kasir_webhook_breakers_open'),
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
