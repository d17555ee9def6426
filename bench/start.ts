// How much CPU does a process take to start? From its start until it reports that its configuration is wrong: its code is
// loaded then, and nothing is connected. The control is the compiler's output, a file for each source file, without source
// maps. Both run by turns, as pairs.
//   node dist/bench/start.js [pairs]
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { readProcfile } from '#ops/dev/launch/procfile.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { formatMs, median } from './figures/statistics.js';
import { isStarted } from './stage/stage.js';

const PAIRS = 15;
const TARGET = 0.4;

interface Start {
  readonly name: string;
  readonly flags: readonly string[];
  readonly compiled: string;
  readonly args: readonly string[];
}

const PROCESSES: Readonly<Record<string, string>> = {
  gateway: 'dist/gateway/main.js',
  payments: 'dist/actors/payments/main.js',
  rails: 'dist/actors/rails/main.js',
  webhooks: 'dist/actors/webhooks/main.js',
};
const OTHERS: readonly Start[] = [
  { name: 'kasir', flags: [], compiled: 'dist/ops/cli/main.js', args: ['no-command'] },
  { name: 'start', flags: [], compiled: 'dist/ops/dev/main.js', args: [] },
  {
    ...{ name: 'rail-simulator', flags: [] },
    ...{ compiled: 'dist/ops/dev/rail-simulator/main.js', args: ['no-file'] },
  },
];
const WRONG = { PORT: 'none' };

const MAPS = '--enable-source-maps';
/** In seconds, to the millisecond. */
const SCRIPT = `TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>&1`;

const root = findPackageRoot();

function measureMs(args: readonly string[]): number {
  const { stderr } = spawnSync('bash', ['-c', SCRIPT, 'bash', process.execPath, ...args], {
    env: { PATH: process.env['PATH'], ...WRONG },
    encoding: 'utf8',
  });
  const times = /^(\d+\.\d+) (\d+\.\d+)$/m.exec(stderr);
  if (times === null) throw new Error(`bash reported no CPU time: ${stderr}`);
  return (Number(times[1]) + Number(times[2])) * 1_000;
}

interface Pair {
  readonly compiledMs: number;
  readonly bundledMs: number;
}

function measurePair({ name, flags, compiled, args }: Start): Pair {
  const unmapped = flags.filter((flag) => flag !== MAPS);
  return {
    compiledMs: measureMs([...unmapped, join(root, compiled), ...args]),
    bundledMs: measureMs([...flags, join(root, `dist/bundle/${name}/main.js`), ...args]),
  };
}

function print(name: string, pairs: readonly Pair[]): number {
  const compiledMs = median(pairs.map((pair) => pair.compiledMs));
  const bundledMs = median(pairs.map((pair) => pair.bundledMs));
  const ratio = median(pairs.map((pair) => pair.bundledMs / pair.compiledMs));
  const times = `${formatMs(compiledMs).padStart(9)} → ${formatMs(bundledMs).padStart(8)}`;
  console.log(`  ${name.padEnd(28)}${times}   × ${ratio.toFixed(2)}`);
  return ratio;
}

const addUp = (pairs: readonly Pair[]): Pair => ({
  compiledMs: pairs.reduce((sum, { compiledMs }) => sum + compiledMs, 0),
  bundledMs: pairs.reduce((sum, { bundledMs }) => sum + bundledMs, 0),
});

function benchStart(count: number): void {
  const processes = Object.entries(PROCESSES).map(([name, compiled]): Start => {
    const entry = readProcfile(root, name);
    if (entry === undefined) throw new Error(`the Procfile has no process ${name}`);
    return { name, flags: entry.flags, compiled, args: [] };
  });
  const starts = [...processes, ...OTHERS];
  for (const start of starts) measurePair(start);
  const rounds = Array.from({ length: count }, () => starts.map(measurePair));
  console.log(
    `CPU until the configuration error, compiled → bundled, medians of ${count} pairs ` +
      `(${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, Node ${process.versions.node})`,
  );
  for (const [index, { name }] of starts.entries()) {
    const pairs = rounds.flatMap((round) => round[index] ?? []);
    print(name, pairs);
  }
  const sums = rounds.map((round) => addUp(round.slice(0, processes.length)));
  const ratio = print('sum of the four processes', sums);
  console.log(`to reach: × ${TARGET} of the sum: ${ratio <= TARGET ? 'reached' : 'missed'}`);
}

if (isStarted(import.meta.url)) {
  const [pairs = String(PAIRS)] = process.argv.slice(2);
  benchStart(Number(pairs));
}
