// Does memory stay flat over a million payments? (npm run bench:memory, some minutes)
//   node dist/bench/memory.js [payments] [connections]
// Resident memory of gateway and payments after each tenth of the payments, under full load. Flat means
// that the last half holds no more than a tenth above the half before it.
import { newRun } from './load/requests.js';
import { readPeakRssMib, readRssMib } from './figures/cpu.js';
import { describeRun, writeSection } from './figures/readme.js';
import type { Row } from './figures/row.js';
import { isStarted, onStage, type Stage } from './stage/stage.js';
import { formatCount } from './figures/statistics.js';
import { ensureWrk, rateOf, runWrk } from './load/wrk.js';

const STEPS = 10;
const SAMPLE_MS = 250;
const LIMITS_MIB: Readonly<Record<string, number>> = { gateway: 160, payments: 300 };
const FLAT = 1.1;
/** Shorter runs say nothing of flatness: they only print. */
const WORTH_WRITING = 1_000_000;

/** Highest resident memory of each process while `work` runs. */
async function watchMemory(stage: Stage, work: Promise<unknown>): Promise<Map<string, number>> {
  const highest = new Map<string, number>();
  const sample = (): void => {
    for (const { name, pid } of stage.service.processes) {
      highest.set(name, Math.max(highest.get(name) ?? 0, readRssMib(pid)));
    }
  };
  const timer = setInterval(sample, SAMPLE_MS);
  await work;
  sample();
  clearInterval(timer);
  return highest;
}

/** Peaks since the start of the processes: what the benches before have asked of them. */
export function rowOfPeaks({ service }: Stage): Row {
  const peaks = service.processes.map(({ name, pid }) => ({ name, mib: readPeakRssMib(pid) }));
  const limits = Object.entries(LIMITS_MIB).map(([name, limit]) => `${name} ≤ ${limit} MiB`);
  return {
    bench: 'memory at full load, peak',
    control: '–',
    service: peaks.map(({ name, mib }) => `${name} ${mib.toFixed(0)} MiB`).join(', '),
    result: '',
    target: `${limits.join(', ')} (flat over 1 M: below)`,
    isMet: peaks.every(({ name, mib }) => mib <= (LIMITS_MIB[name] ?? Infinity)),
  };
}

async function benchMemory(stage: Stage, payments: number, connections: number): Promise<void> {
  ensureWrk();
  const { service } = stage;
  const history = new Map<string, number[]>();
  let created = 0;
  let rate = 1_000;
  while (created < payments) {
    const seconds = Math.max(2, Math.round(payments / STEPS / rate));
    const args = ['/v1/payments', service.key, newRun()];
    const running = runWrk({
      script: 'create.lua',
      port: service.port,
      connections,
      seconds,
      args,
    });
    const highest = await watchMemory(stage, running);
    const run = await running;
    rate = rateOf(run);
    created += run.requests - run.refused;
    for (const [name, mib] of highest) history.set(name, [...(history.get(name) ?? []), mib]);
    const line = [...highest].map(([name, mib]) => `${name} ${mib.toFixed(0)} MiB`).join('  ');
    const failures = run.errors + run.refused;
    console.log(`  ${formatCount(created).padStart(10)} payments  ${line}  errors ${failures}`);
  }
  const verdicts = [...history].map(([name, values]) => judge(name, values));
  const text = `${formatCount(created)} payments at ${connections} connections. ${verdicts.join(' ')}`;
  console.log(text);
  if (payments >= WORTH_WRITING) writeSection('memory', `${describeRun(stage.machine)} ${text}`);
}

function judge(name: string, values: readonly number[]): string {
  const half = Math.ceil(values.length / 2);
  const before = Math.max(...values.slice(0, half));
  const after = Math.max(...values.slice(half));
  const limit = LIMITS_MIB[name] ?? Infinity;
  const isFlat = after <= before * FLAT;
  return (
    `${name}: at most ${before.toFixed(0)} MiB in the first half and ${after.toFixed(0)} in the ` +
    `second (limit ${limit}): ${after <= limit && isFlat ? 'flat, reached' : '**missed**'}.`
  );
}

if (isStarted(import.meta.url)) {
  const [payments = '1000000', connections = '256'] = process.argv.slice(2);
  await onStage((stage) => benchMemory(stage, Number(payments), Number(connections)));
}
