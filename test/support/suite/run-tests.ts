// Runs test files as they were compiled, and shows a line for each. The whole TAP is kept in .tap/results.
import { createWriteStream, mkdirSync, openSync, closeSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { findUncovered } from './coverage.js';
import { findCompiled, isPure, listCore, SCALE } from './list-tests.js';
import { runProgram, startProgram, timed } from './run-program.js';
import { withStacks } from './standing-stacks.js';
import { printFailures, readScore } from './tap-output.js';

/** `failures`: what failed, a line each. The end of a long log tells all of it. */
export interface Result {
  passed: number;
  failed: number;
  readonly failures: string[];
  readonly files: { readonly name: string; readonly seconds: number }[];
}

const root = findPackageRoot();
export const RESULTS = join(root, '.tap', 'results');
const SUITE = join(root, 'dist/test/support/suite');
/** Files wait more than they work: with three at once, two cores are busy for two thirds of the time. */
const FILES_AT_ONCE = 5;
/** A browser keeps a core busy: with five at once, stories of half a minute took minutes. */
const BROWSER_FILES_AT_ONCE = 2;
/** Their figures are of a machine that does nothing else. */
const SCALE_FILES_AT_ONCE = 1;

export function clearResults(): void {
  rmSync(RESULTS, { recursive: true, force: true });
  mkdirSync(RESULTS, { recursive: true });
}

/** Counts one check, which passed if nothing failed. */
export function noteCheck(result: Result, failures: readonly string[]): void {
  if (failures.length === 0) result.passed += 1;
  else result.failed += 1;
  result.failures.push(...failures);
}

/** `start` runs a TAP program whose output goes to the given file, and returns its exit code. Returns what failed. */
async function runTap(
  result: Result,
  name: string,
  start: (file: string) => Promise<number>,
): Promise<readonly string[]> {
  const file = join(RESULTS, `${name}.tap`);
  const code = await timed(name, () => start(file));
  const score = readScore(file);
  result.passed += score.passed;
  // A run that broke off without naming a failure is one all the same.
  result.failed += code !== 0 && score.failed === 0 ? 1 : score.failed;
  if (code === 0) return [];
  const failed = printFailures(file);
  result.failures.push(...(failed.length > 0 ? failed : [`${name}: ended with code ${code}`]));
  return failed;
}

/** Runs the files in this order, beside the standing stacks that they use; the pure ones share the first process. */
export async function runFiles(
  result: Result,
  name: string,
  files: readonly string[],
): Promise<void> {
  const pure = files.filter(isPure);
  const others = files.filter((path) => !pure.includes(path)).map(findCompiled);
  const groups = pure.length > 0 ? [pure.map(findCompiled).join(','), ...others] : others;
  if (groups.length === 0) return;
  const ended = await withStacks(files, RESULTS, () =>
    runGroups(result, name, groups, countAtOnce(files)),
  );
  if (ended.length > 0) noteCheck(result, ended);
}

function countAtOnce(files: readonly string[]): number {
  const areIn = (folder: string): boolean => files.every((path) => path.startsWith(folder));
  if (areIn(`test/${SCALE}/`)) return SCALE_FILES_AT_ONCE;
  return areIn('test/browser/') ? BROWSER_FILES_AT_ONCE : FILES_AT_ONCE;
}

function runGroups(
  result: Result,
  name: string,
  groups: readonly string[],
  atOnce: number,
): Promise<readonly string[]> {
  return runTap(result, name, async (file) => {
    const words = [join(SUITE, 'files.js'), String(atOnce), ...groups];
    const { child, exited } = startProgram(process.execPath, words, 'pipe');
    if (child.stdout === null) throw new Error('a piped program has an output');
    let ended = 0;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, outcome, title, ms] =
        /^((?:not )?ok) \d+ - (.*?)(?: # time=([\d.]+)ms)?$/.exec(line) ?? [];
      if (outcome === undefined || title === undefined) return;
      ended += 1;
      const seconds = Number(ms ?? 0) / 1000;
      result.files.push({ name: title, seconds });
      console.log(`${ended}/${groups.length} ${outcome} ${title} ${seconds.toFixed(1)} s`);
    });
    await pipeline(child.stdout, createWriteStream(file));
    return exited;
  });
}

/**
 * The state machine is covered to the last branch; elsewhere coverage is not measured. These tests run as they were
 * compiled: through tsx, a file is one line to the measuring engine, and always covered.
 */
export async function runCore(result: Result): Promise<void> {
  const tap = join(root, 'node_modules/.bin/tap');
  // tap builds itself for the plugins chosen at its first run, and that run loses the way back from compiled files to their
  // sources: so it is made to build before.
  await runProgram(tap, ['build']);
  await runTap(result, 'core', async (file) => {
    const output = openSync(file, 'w');
    const files = listCore().map((path) => `--test-arg=${findCompiled(path)}`);
    const options = ['--reporter=tap', '--coverage-report=json-summary', ...files];
    const code = await runProgram(tap, ['run', ...options, join(SUITE, 'together.js')], output);
    closeSync(output);
    return code;
  });
  noteCheck(result, findUncovered(root, 'actors/core'));
}
