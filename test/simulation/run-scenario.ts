// One run: requests and faults, then quiet until nothing is left to do, then a create on every partition and a read of
// every payment, then the checks.
import { partitionFor } from '#actors/core/partition.js';
import { groupBy } from '#test/support/invariants/of-answers.js';
import { describe } from '#test/support/load/history.js';
import { checkRun, findUnfinished, listSimpleIds } from './checks.js';
import { BEGIN } from './faults.js';
import { derivePaymentId } from './processes/gateway.js';
import { drain, playScript, runUntil } from './play.js';
import { defineProtocol, type RunResult } from './protocol.js';
import {
  buildScenario,
  buildSplitScenario,
  FAULTS,
  MOVES,
  type Scenario,
  SPLIT,
} from './scenario.js';
import { Simulation } from './simulation.js';

/** After the last fault everything that waits is done within this time. */
const DRAIN = { forMs: 25_000, askEveryMs: 50 } as const;
const PROBE_PATIENCE = { forMs: 12_000, askEveryMs: 50 } as const;
const PROBE = 'probe-';
/** A gateway may be connecting again at that moment. */
const PROBE_REPEATS = 2;

/** The path of commands, from a gateway to the answer. */
export const PAYMENTS = defineProtocol({
  name: 'payments',
  faults: FAULTS,
  build: buildScenario,
  run: runScenario,
});

/** The same, while the partitions are split. */
export const SPLITS = defineProtocol({
  name: 'splits',
  faults: [...FAULTS, SPLIT, ...MOVES],
  build: buildSplitScenario,
  run: runScenario,
});

export async function runScenario(
  scenario: Scenario,
  onTrace?: (line: string) => void,
): Promise<RunResult> {
  const simulation = new Simulation(scenario.seed, onTrace);
  const { world, audit } = simulation;
  await playScript(simulation, scenario, {
    perform: (step) => simulation.perform(step),
    begin: (fault) => BEGIN[fault.kind](simulation, fault),
  });
  const unfinished = await drain(world, DRAIN, () => findUnfinished(simulation));
  const probes = await probe(simulation, scenario);
  return {
    seed: scenario.seed,
    violations: checkRun(simulation, scenario, { unfinished, probes }),
    digest: world.digest(),
    cells: audit.cells,
    counts: {
      commits: audit.commits,
      // In ways that docs/failures.md names.
      'known gaps': audit.frames.filter(({ isKnownGap }) => isKnownGap).length,
    },
    virtualMs: world.nowMs,
  };
}

/** Creates a payment on every partition by every gateway, and reads the payments whose histories are judged. */
async function probe(simulation: Simulation, scenario: Scenario): Promise<string[]> {
  const { world, gateways, openCalls, history } = simulation;
  const send = (operation: Parameters<Simulation['send']>[0], gateway: number): void => {
    simulation.send(operation, gateway, { attempt: 1, repeats: PROBE_REPEATS });
  };
  gateways.forEach((_gateway, index) => {
    const partitions = simulation.postgres.tables.partitions.size;
    for (let partition = 0; partition < partitions; partition += 1) {
      const key = findKeyIn(partition, partitions, `${PROBE}${index}`);
      send({ kind: 'create', key, reference: `${PROBE}${key}`, amount: '15000' }, index);
    }
  });
  await runUntil(world, PROBE_PATIENCE, () => openCalls.size + simulation.waitingRepeats === 0);
  for (const paymentId of listSimpleIds(scenario)) send({ kind: 'get', paymentId }, 0);
  await runUntil(world, PROBE_PATIENCE, () => openCalls.size + simulation.waitingRepeats === 0);
  const probes = groupBy(history, ({ operation }) =>
    operation.kind === 'create' && operation.reference.startsWith(PROBE) ? operation.key : null,
  );
  return [...probes.values()].flatMap((attempts) => {
    // 200: the reply was lost, and the gateway has found the payment in Postgres.
    const isStored = attempts.some(({ result }) => result.kind === 'answer' && result.status < 300);
    return isStored ? [] : attempts.map((attempt) => `${attempt.gateway}: ${describe(attempt)}`);
  });
}

function findKeyIn(partition: number, partitions: number, prefix: string): string {
  for (let number = 0; ; number += 1) {
    const key = `${prefix}-${number}`;
    if (partitionFor(derivePaymentId(key), partitions) === partition) return key;
  }
}
