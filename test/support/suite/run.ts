// The suite, after the set-up. It goes on after a failure. The last lines name what failed and give the sum.
//   run.js                 `npm test`, what a change must pass: checks, core, and every test without a long wait
//   run.js <file>…         test files by name
//   run.js all             `npm run test:all`: all of it, faults, browser stories, slow tests and mutants
//   run.js all <kind>…     these kinds only: quick, faults, browser, slow, mutants; or scale, which is in no other run
//   run.js all --offline   also passes when the registry of packages gives no answer about vulnerabilities
// KASIR_ORDER=<seed> repeats the order of files of another run.
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { printTable, TABLE_VARIABLE } from '../invariants/fault-table.js';
import { CLUSTER_VARIABLE, createTemplate, deleteAbandoned, startPostgres } from '../servers.js';
import {
  findCompiled,
  listQuick,
  listSlow,
  SCALE,
  shuffle,
  SLOW_KINDS,
  type SlowKind,
} from './list-tests.js';
import { interruptPrograms, runProgram, timed } from './run-program.js';
import { clearResults, noteCheck, type Result, RESULTS, runCore, runFiles } from './run-tests.js';

const KINDS = ['quick', ...SLOW_KINDS, 'mutants'] as const;
const NAMED_KINDS = [...KINDS, SCALE] as const;
type Kind = (typeof NAMED_KINDS)[number];

const SLOWEST_SHOWN = 5;
const WRONG_USAGE = 2;
const root = findPackageRoot();
/** Rows of the faults that the tests on clusters cause. */
const FAULT_TABLE = join(RESULTS, 'faults.rows');
const seed = process.env['KASIR_ORDER'] ?? randomBytes(4).toString('hex');

/** Of the check of vulnerabilities: the registry need not answer. */
const OFFLINE = '--offline';

/** npm scripts and the core, the longest beside the others: each keeps one core busy. */
async function runChecks(
  result: Result,
  lint: readonly string[],
  { isOffline }: { readonly isOffline: boolean },
): Promise<void> {
  const run = async (name: string, words: readonly string[] = []): Promise<void> => {
    const args = ['run', '--silent', name, '--', ...words];
    const code = await timed(name, () => runProgram('npm', args));
    noteCheck(result, code === 0 ? [] : [`npm run ${name}`]);
  };
  const runEach = async (names: readonly string[]): Promise<void> => {
    for (const name of names) await run(name);
  };
  const runOthers = async (): Promise<void> => {
    await run('vulnerabilities', isOffline ? [OFFLINE] : []);
    await runEach(['typecheck', 'format:check', 'arch']);
    await runCore(result);
  };
  await Promise.all([runEach(lint), runOthers()]);
}

/** One cluster for all files. Mutants come after it: a catcher migrates its own database, since the mutant may be in SQL. */
async function withCluster(work: () => Promise<void>): Promise<void> {
  const cleaners: (() => unknown)[] = [];
  deleteAbandoned();
  try {
    const cluster = await startPostgres({ teardown: (clean) => void cleaners.push(clean) });
    await createTemplate(cluster.url);
    process.env[CLUSTER_VARIABLE] = cluster.url;
    await work();
  } finally {
    process.env[CLUSTER_VARIABLE] = '';
    for (const clean of cleaners.reverse()) await clean();
  }
}

const runQuick = (result: Result): Promise<void> =>
  runFiles(result, 'tests', shuffle(listQuick(), seed));

async function runMutants(result: Result): Promise<void> {
  const code = await timed('mutants', () => runProgram('npm', ['run', '--silent', 'mutants']));
  noteCheck(result, code === 0 ? [] : ['npm run mutants']);
}

async function runKinds(result: Result, words: readonly string[]): Promise<void> {
  const kinds = chooseKinds(words.filter((word) => word !== OFFLINE));
  const isOffline = words.includes(OFFLINE);
  if (kinds.includes('quick')) await runChecks(result, ['lint', 'lint:tests'], { isOffline });
  const isSlow = (kind: Kind): kind is SlowKind | typeof SCALE =>
    kind !== 'quick' && kind !== 'mutants';
  await withCluster(async () => {
    if (kinds.includes('quick')) await runQuick(result);
    for (const kind of kinds.filter(isSlow)) {
      process.env[TABLE_VARIABLE] = kind === SCALE ? FAULT_TABLE : '';
      await runFiles(result, kind, shuffle(listSlow(kind), seed));
    }
  });
  if (kinds.includes('mutants')) await runMutants(result);
}

function report({ passed, failed, failures, files }: Result): void {
  const slowest = [...files].sort((one, other) => other.seconds - one.seconds);
  for (const { name, seconds } of slowest.slice(0, SLOWEST_SHOWN)) {
    console.log(`slow: ${name} ${seconds.toFixed(1)} s`);
  }
  for (const line of printTable(FAULT_TABLE)) console.log(line);
  for (const failure of failures) console.log(`failed: ${failure}`);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

function chooseKinds(words: readonly string[]): readonly Kind[] {
  const kinds = NAMED_KINDS.filter((kind) => words.includes(kind));
  if (kinds.length === words.length) return kinds.length > 0 ? kinds : KINDS;
  return refuse(
    `${words.join(' ')}: the kinds of tests are ${NAMED_KINDS.join(', ')}; the only option is ${OFFLINE}`,
  );
}

function checkFiles(paths: readonly string[]): readonly string[] {
  const isFile = (path: string): boolean =>
    statSync(join(root, findCompiled(path)), { throwIfNoEntry: false })?.isFile() === true;
  const missing = paths.filter((path) => !isFile(path));
  if (missing.length === 0) return paths;
  return refuse(
    `${missing.join(', ')}: no test file; name it from the top level: test/docs.test.ts`,
  );
}

/** Ends a run of words that name nothing. */
function refuse(message: string): never {
  console.error(message);
  process.exit(WRONG_USAGE);
}

async function main(words: readonly string[]): Promise<void> {
  const result: Result = { passed: 0, failed: 0, failures: [], files: [] };
  clearResults();
  console.log(`order of files: KASIR_ORDER=${seed}`);
  if (words[0] === 'all') await runKinds(result, words.slice(1));
  else if (words.length > 0) {
    const files = checkFiles(words);
    await withCluster(() => runFiles(result, 'chosen', files));
  } else {
    // It must work without a network; `npm run test:all` needs the answer of the registry.
    await runChecks(result, ['lint'], { isOffline: true });
    await withCluster(() => runQuick(result));
  }
  report(result);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interruptPrograms(signal);
    process.exitCode = 1;
  });
}
await main(process.argv.slice(2));
