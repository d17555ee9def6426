// The suite, after the set-up. It goes on after a failure. The last lines name what failed and give the sum.
//   run.js                 `npm test`, what a change must pass: checks, core, and every test without a long wait
//   run.js <file>…         test files by name
//   run.js all             `npm run test:all`: all of it, faults, browser stories, slow tests and mutants
//   run.js all <kind>…     these kinds only: quick, faults, browser, slow, mutants
// KASIR_ORDER=<seed> repeats the order of files of another run.
import { randomBytes } from 'node:crypto';
import { createTemplate, CLUSTER_VARIABLE, startPostgres } from '../servers.js';
import { listQuick, listSlow, shuffle, SLOW_KINDS, type SlowKind } from './list-tests.js';
import { interruptPrograms, runProgram, timed } from './run-program.js';
import { clearResults, noteCheck, type Result, runCore, runFiles } from './run-tests.js';

const KINDS = ['quick', ...SLOW_KINDS, 'mutants'] as const;
type Kind = (typeof KINDS)[number];

const SLOWEST_SHOWN = 5;
const seed = process.env['KASIR_ORDER'] ?? randomBytes(4).toString('hex');

/** npm scripts, the longest beside the others: each keeps one core busy. */
async function runChecks(result: Result, lint: readonly string[]): Promise<void> {
  const runEach = async (names: readonly string[]): Promise<void> => {
    for (const name of names) {
      const code = await timed(name, () => runProgram('npm', ['run', '--silent', name]));
      noteCheck(result, code === 0 ? [] : [`npm run ${name}`]);
    }
  };
  await Promise.all([
    runEach(lint),
    runEach(['vulnerabilities', 'typecheck', 'format:check', 'arch']),
  ]);
}

/** One cluster for all files. Mutants come after it: a catcher migrates its own database, since the mutant may be in SQL. */
async function withCluster(work: () => Promise<void>): Promise<void> {
  const cleaners: (() => unknown)[] = [];
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

async function runQuick(result: Result): Promise<void> {
  await runCore(result);
  await runFiles(result, 'tests', shuffle(listQuick(), seed));
}

async function runMutants(result: Result): Promise<void> {
  const code = await timed('mutants', () => runProgram('npm', ['run', '--silent', 'mutants']));
  noteCheck(result, code === 0 ? [] : ['npm run mutants']);
}

async function runKinds(result: Result, kinds: readonly Kind[]): Promise<void> {
  if (kinds.includes('quick')) await runChecks(result, ['lint', 'lint:tests']);
  const isSlow = (kind: Kind): kind is SlowKind => kind !== 'quick' && kind !== 'mutants';
  await withCluster(async () => {
    if (kinds.includes('quick')) await runQuick(result);
    for (const kind of kinds.filter(isSlow)) {
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
  for (const failure of failures) console.log(`failed: ${failure}`);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

function chooseKinds(words: readonly string[]): readonly Kind[] {
  const kinds = KINDS.filter((kind) => words.includes(kind));
  if (kinds.length === words.length) return kinds.length > 0 ? kinds : KINDS;
  throw new Error(`${words.join(' ')}: the kinds of tests are ${KINDS.join(', ')}`);
}

async function main(words: readonly string[]): Promise<void> {
  const result: Result = { passed: 0, failed: 0, failures: [], files: [] };
  clearResults();
  console.log(`order of files: KASIR_ORDER=${seed}`);
  if (words[0] === 'all') await runKinds(result, chooseKinds(words.slice(1)));
  else if (words.length > 0) await withCluster(() => runFiles(result, 'chosen', words));
  else {
    await runChecks(result, ['lint']);
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
