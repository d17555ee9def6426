// The suite: `npm test` runs the checks (types, lint, format, import rules, vulnerabilities), then the tests with one shared
// Postgres cluster, the fault tests spread among them. It goes on after a failure. The last lines name what failed and
// give the sum.
//   run.js          everything
//   run.js unit     tests without checks and faults
//   run.js faults   fault tests only           further words are test files
import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { findUncovered } from './coverage.js';
import { CLUSTER_VARIABLE, createTemplate, startPostgres } from '../servers.js';

interface Score {
  passed: number;
  failed: number;
}

/** `failures`: what failed, a line each. The end of a long log tells all of it. */
interface Result extends Score {
  readonly failures: string[];
}

const root = findPackageRoot();
const RESULTS = join(root, '.tap', 'results');
const bin = (name: string): string => join(root, 'node_modules', '.bin', name);

const FILES_AT_ONCE = 3;

const running = new Set<ChildProcess>();

/** Runs in the foreground, without standard input; answers the exit code. `output`: a file instead of ours. */
function run(command: string, args: string[], output?: number): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', output ?? 'inherit', 'inherit'],
    });
    running.add(child);
    child.on('close', () => running.delete(child));
    child.on('error', (error) => {
      console.error(error.message);
      resolve(127);
    });
    child.on('exit', (code) => {
      resolve(code ?? 1);
    });
  });
}

async function timed<T>(title: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  console.log(`\n== ${title}`);
  const result = await work();
  console.log(`== ${title}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return result;
}

/** Counts one check, which passed if nothing failed. */
function noteCheck(result: Result, failures: readonly string[]): void {
  if (failures.length === 0) result.passed += 1;
  else result.failed += 1;
  result.failures.push(...failures);
}

/** The longest check beside the others: each keeps one core busy. */
async function runChecks(result: Result): Promise<void> {
  const runEach = async (names: readonly string[]): Promise<void> => {
    for (const name of names) {
      const code = await timed(name, () => run('npm', ['run', '--silent', name]));
      noteCheck(result, code === 0 ? [] : [`npm run ${name}`]);
    }
  };
  await Promise.all([
    runEach(['lint']),
    runEach(['vulnerabilities', 'typecheck', 'format:check', 'arch']),
  ]);
}

/** Test files below `folder`, without those of `except`. */
function listTests(folder: string, except: readonly string[] = []): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !except.some((part) => path.startsWith(part)))
    .sort();
}

/** The sum that tap writes at the end of its output: assertions that passed and failed. */
function readScore(file: string): Score {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const sum = /^# \{ total: (\d+)(.*)\}$/gm;
  const last = [...text.matchAll(sum)].at(-1);
  const sums = last?.[2] ?? '';
  const numberOf = (name: string): number =>
    Number(new RegExp(`${name}: (\\d+)`).exec(sums)?.[1] ?? 0);
  const total = Number(last?.[1] ?? 0);
  const failed = numberOf('fail');
  // tap leaves `pass` out when all of them did.
  const passed = sums.includes('pass')
    ? numberOf('pass')
    : total - failed - numberOf('skip') - numberOf('todo');
  return { passed, failed };
}

/** Prints each failure with its diagnosis, which the line of a file leaves out. Returns the files that failed. */
function printFailures(file: string): string[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  let isTold = false;
  for (const line of lines) {
    if (/^\s*(not )?ok /.test(line)) isTold = /^\s*not ok /.test(line);
    if (isTold || /^# Subtest: /.test(line)) console.error(line);
  }
  return lines.flatMap((line) => /^not ok \d+ - (.*)$/.exec(line)?.[1] ?? []);
}

const findCompiled = (path: string): string => join('dist', path.replace(/\.ts$/, '.js'));

/** Runs the tests as they were compiled. `file` gets their TAP; one line each is shown. */
async function runFiles(file: string, atATime: number, files: readonly string[]): Promise<number> {
  const program = join(root, 'dist/test/support/suite/files.js');
  const child = spawn(process.execPath, [program, String(atATime), ...files.map(findCompiled)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  const ended = new Promise<number>((resolve) => {
    child.on('exit', (code) => {
      running.delete(child);
      resolve(code ?? 1);
    });
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (/^(not )?ok /.test(line)) console.log(line);
  });
  await pipeline(child.stdout, createWriteStream(file));
  return ended;
}

async function runTests(
  result: Result,
  name: string,
  run: (file: string) => Promise<number>,
): Promise<void> {
  const file = join(RESULTS, `${name}.tap`);
  const code = await timed(name, () => run(file));
  const score = readScore(file);
  result.passed += score.passed;
  // A run that broke off without naming a failure is one all the same.
  result.failed += code !== 0 && score.failed === 0 ? 1 : score.failed;
  if (code === 0) return;
  const failed = printFailures(file);
  result.failures.push(...(failed.length > 0 ? failed : [`${name}: ended with code ${code}`]));
}

/**
 * The state machine is covered to the last branch; elsewhere coverage is not measured. These tests run as
 * they were compiled: through tsx, a file is one line to the measuring engine, and always covered.
 */
async function runCore(result: Result): Promise<void> {
  const files = listTests('test/core');
  if (files.length === 0) return;
  // tap builds itself for the plugins chosen at its first run, and that run loses the way back from compiled
  // files to their sources: so it is made to build before.
  await run(bin('tap'), ['build']);
  await runTests(result, 'core', async (file) => {
    const output = openSync(file, 'w');
    const args = [
      'run',
      '--reporter=tap',
      '--coverage-report=json-summary',
      ...files.map(findCompiled),
    ];
    const code = await run(bin('tap'), args, output);
    closeSync(output);
    return code;
  });
  noteCheck(result, findUncovered(root, 'actors/core'));
}

/** Fault tests wait more than they work: shuffled among the others, about one of them runs at a time. */
async function runMode(result: Result, mode: string): Promise<void> {
  const faults = listTests('test').filter(isFault);
  if (mode === 'faults') return runTests(result, mode, (file) => runFiles(file, 1, faults));
  await runCore(result);
  const others = listTests('test', ['test/core/', 'test/faults/']);
  const files = mode === 'unit' ? others : shuffle([...others, ...faults]);
  return runTests(result, 'tests', (file) => runFiles(file, FILES_AT_ONCE, files));
}

function shuffle(files: readonly string[]): string[] {
  return files
    .map((path) => ({ path, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ path }) => path);
}

const isFault = (path: string): boolean => path.startsWith('test/faults/');

/** One cluster for everything that follows; it ends with this process at the latest. */
async function withCluster(work: () => Promise<void>): Promise<void> {
  const cleaners: (() => unknown)[] = [];
  try {
    const cluster = await startPostgres({ teardown: (clean) => void cleaners.push(clean) });
    await createTemplate(cluster.url);
    process.env[CLUSTER_VARIABLE] = cluster.url;
    await work();
  } finally {
    for (const clean of cleaners.reverse()) await clean();
  }
}

async function main(mode: string, files: string[]): Promise<void> {
  const result: Result = { passed: 0, failed: 0, failures: [] };
  rmSync(RESULTS, { recursive: true, force: true });
  mkdirSync(RESULTS, { recursive: true });
  if (mode === 'all') await runChecks(result);
  await withCluster(async () => {
    if (files.length > 0) await runTests(result, 'chosen', (file) => runFiles(file, 1, files));
    else await runMode(result, mode);
  });
  for (const failure of result.failures) console.log(`failed: ${failure}`);
  console.log(`\n${result.passed} passed, ${result.failed} failed`);
  process.exitCode = result.failed === 0 && result.passed > 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    for (const child of running) child.kill(signal);
    process.exitCode = 1;
  });
}
const words = process.argv.slice(2);
const mode = words[0] === 'unit' || words[0] === 'faults' ? words[0] : 'all';
await main(mode, mode === 'all' ? words : words.slice(1));
