// npm run simulate -- --seeds 500 [--from 1] [--seed N] [--fault kind] [--first] [--trace]
//   --seed N    runs one seed; when it fails, it is shrunk and shown with its faults and requests
//   --fault     all faults of the runs are of this kind
//   --first     ends at the first seed that fails
import { parseArgs } from 'node:util';
import { describeFailure, Report } from './report.js';
import { runScenario } from './run-scenario.js';
import { buildScenario, type FaultKind, FAULTS, type Scenario } from './scenario.js';
import { shrink } from './shrink.js';

const DEFAULT_SEEDS = 500;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string' },
    seed: { type: 'string' },
    fault: { type: 'string' },
    first: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
  },
});

function readFault(): FaultKind | undefined {
  const { fault } = values;
  if (fault === undefined) return undefined;
  const found = FAULTS.find((one) => one === fault);
  if (found === undefined) throw new Error(`--fault must be one of ${FAULTS.join(', ')}`);
  return found;
}

async function runMany(from: number, count: number, only?: FaultKind): Promise<boolean> {
  const report = new Report();
  for (let seed = from; seed < from + count; seed += 1) {
    const scenario = buildScenario(seed, only);
    const result = await runScenario(scenario);
    report.add(scenario, result);
    if (result.violations.length === 0) continue;
    console.log(describeFailure(result));
    if (values.first) return false;
  }
  console.log(report.describe());
  return report.failed.length === 0;
}

async function runOne(seed: number, only?: FaultKind): Promise<boolean> {
  const scenario = buildScenario(seed, only);
  const result = await runScenario(scenario, values.trace ? console.log : undefined);
  const [first] = result.violations;
  console.log(`seed ${seed}, trace ${result.digest.slice(0, 16)}`);
  if (first === undefined) return true;
  console.log(describeFailure(result));
  const small = await shrink(scenario, first.check);
  console.log(describeScenario(small));
  console.log(describeFailure(await runScenario(small)));
  return false;
}

const describeScenario = ({ faults, steps }: Scenario): string =>
  [...faults, ...steps].map((part) => JSON.stringify(part)).join('\n');

const only = readFault();
const isGood =
  values.seed === undefined
    ? await runMany(Number(values.from ?? 1), Number(values.seeds ?? DEFAULT_SEEDS), only)
    : await runOne(Number(values.seed), only);
process.exitCode = isGood ? 0 : 1;
