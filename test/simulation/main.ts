// npm run simulate -- --seeds 500 [--protocol name] [--from 1] [--seed N] [--fault kind] [--first] [--progress] [--trace]
//   --protocol  only this one; without it all protocols run, one after the other
//   --seed N    runs one seed; when it fails, it is shrunk and shown with its faults and steps
//   --fault     all faults of the runs are of this kind
//   --first     ends at the first seed that fails
//   --progress  prints each seed that passes
import { parseArgs } from 'node:util';
import type { Protocol, Script } from './protocol.js';
import { describeFailure, Report } from './report.js';
import { PROTOCOLS } from './protocols.js';
import { shrink } from './shrink.js';

const DEFAULT_SEEDS = 500;

const { values } = parseArgs({
  options: {
    protocol: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string' },
    seed: { type: 'string' },
    fault: { type: 'string' },
    first: { type: 'boolean', default: false },
    progress: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
  },
});

function listProtocols(): Protocol[] {
  const { protocol, fault } = values;
  const names = PROTOCOLS.map(({ name }) => name).join(', ');
  const named = PROTOCOLS.filter(({ name }) => protocol === undefined || name === protocol);
  if (named.length === 0) throw new Error(`--protocol must be one of ${names}`);
  const chosen = named.filter(({ faults }) => fault === undefined || faults.includes(fault));
  if (chosen.length > 0) return chosen;
  throw new Error(`--fault must be one of ${named.flatMap(({ faults }) => faults).join(', ')}`);
}

async function runMany(protocol: Protocol, from: number, count: number): Promise<boolean> {
  const report = new Report(protocol.faults);
  for (let seed = from; seed < from + count; seed += 1) {
    const script = protocol.build(seed, values.fault);
    const result = await protocol.run(script);
    report.add(script, result);
    if (result.violations.length === 0) {
      if (values.progress) console.log(`${protocol.name}: seed ${seed} has passed`);
      continue;
    }
    console.log(describeFailure(result));
    if (values.first) return false;
  }
  console.log(`${protocol.name}\n${report.describe()}`);
  return report.failed.length === 0;
}

async function runOne(protocol: Protocol, seed: number): Promise<boolean> {
  const script = protocol.build(seed, values.fault);
  const result = await protocol.run(script, values.trace ? console.log : undefined);
  const [first] = result.violations;
  console.log(`${protocol.name}: seed ${seed}, trace ${result.digest.slice(0, 16)}`);
  if (first === undefined) return true;
  console.log(describeFailure(result));
  const small = await shrink(protocol, script, first.check);
  console.log(describeScript(small));
  console.log(describeFailure(await protocol.run(small)));
  return false;
}

const describeScript = ({ faults, steps }: Script): string =>
  [...faults, ...steps].map((part) => JSON.stringify(part, writeAmount)).join('\n');

const writeAmount = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

let isGood = true;
for (const protocol of listProtocols()) {
  const { seed, from, seeds } = values;
  const isSound =
    seed === undefined
      ? await runMany(protocol, Number(from ?? 1), Number(seeds ?? DEFAULT_SEEDS))
      : await runOne(protocol, Number(seed));
  isGood &&= isSound;
}
process.exitCode = isGood ? 0 : 1;
