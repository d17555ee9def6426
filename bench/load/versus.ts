// Two targets under wrk in turn, A B A B, so that what the machine does meanwhile hits both; medians.
import {
  type CpuSeconds,
  describeCpu,
  readCpu,
  subtractCpu,
  type Watched,
} from '../figures/cpu.js';
import type { Target } from '../stage/control.js';
import { formatCount, formatMs, median } from '../figures/statistics.js';
import { rateOf, runWrk, type WrkOptions, type WrkRun } from './wrk.js';

export interface Contender {
  name: string;
  target: Target;
  /** Arguments of the script, computed before every run, since each run needs its own keys. */
  args(): readonly string[];
  /** Resolves when nothing is left of the runs before. */
  settle?(): Promise<void>;
  /** Resolves when what the requests set off is done; its CPU counts. */
  finish?(): Promise<void>;
}

export interface Case {
  script: WrkOptions['script'];
  connections: number;
  seconds: number;
  rounds: number;
  watched: Watched;
}

export interface Measured {
  name: string;
  ratePerSecond: number;
  p50Ms: number;
  p99Ms: number;
  failures: number;
  answers: number;
  cpu: CpuSeconds;
}

export const WARM_UP_S = 4;

/** Every contender `rounds` times, in turn, after a short warm-up of each. */
export async function compare(contenders: readonly Contender[], test: Case): Promise<Measured[]> {
  const runs = new Map<Contender, { run: WrkRun; cpu: CpuSeconds }[]>();
  for (const contender of contenders) {
    await measure(contender, { ...test, seconds: WARM_UP_S });
    runs.set(contender, []);
  }
  for (let round = 0; round < test.rounds; round += 1) {
    for (const contender of contenders) {
      runs.get(contender)?.push(await measure(contender, test));
    }
  }
  return contenders.map((contender) => summarize(contender.name, runs.get(contender) ?? []));
}

async function measure(
  contender: Contender,
  test: Case,
): Promise<{ run: WrkRun; cpu: CpuSeconds }> {
  const { script, connections, seconds, watched } = test;
  await contender.settle?.();
  const before = readCpu(watched);
  const { port } = contender.target;
  const run = await runWrk({ script, port, connections, seconds, args: contender.args() });
  await contender.finish?.();
  return { run, cpu: subtractCpu(readCpu(watched), before) };
}

function summarize(name: string, runs: readonly { run: WrkRun; cpu: CpuSeconds }[]): Measured {
  const cpu: CpuSeconds = {};
  for (const one of runs) {
    for (const [process, seconds] of Object.entries(one.cpu)) {
      cpu[process] = (cpu[process] ?? 0) + seconds;
    }
  }
  return {
    name,
    ratePerSecond: median(runs.map(({ run }) => rateOf(run))),
    p50Ms: median(runs.map(({ run }) => run.p50Us / 1000)),
    p99Ms: median(runs.map(({ run }) => run.p99Us / 1000)),
    failures: runs.reduce((sum, { run }) => sum + run.errors + run.refused, 0),
    answers: runs.reduce((sum, { run }) => sum + run.requests - run.refused, 0),
    cpu,
  };
}

const STORES = ['postgres', 'redis'];

export interface Cost {
  readonly cpuUs: number;
  readonly description: string;
}

/** CPU of each answer: that of the target's own processes and of the stores, without idle ones beside it and the generator. */
export function costOf(target: Target, cpu: CpuSeconds, answers: number): Cost {
  const names = [...target.processes.map(({ name }) => name), ...STORES];
  const own = Object.fromEntries(Object.entries(cpu).filter(([name]) => names.includes(name)));
  const seconds = Object.values(own).reduce((sum, one) => sum + one, 0);
  return { cpuUs: (seconds * 1e6) / answers, description: describeCpu(own, answers) };
}

/** One line to print for a contender: rate, latency, errors, CPU per answer by process. */
export function describe(measured: Measured): string {
  return [
    measured.name.padEnd(22),
    `${formatCount(measured.ratePerSecond).padStart(7)}/s`,
    `p50 ${formatMs(measured.p50Ms)}`,
    `p99 ${formatMs(measured.p99Ms)}`,
    `errors ${measured.failures}`,
    `CPU µs: ${describeCpu(measured.cpu, measured.answers)}`,
  ].join('  ');
}
