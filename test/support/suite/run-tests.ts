// Runs test files as they were compiled, and shows a line for each. The whole TAP is kept in .tap/results.
import { closeSync, createWriteStream, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { findUncovered } from './coverage.js';
import { findCompiled, listCore, SCALE } from './list-tests.js';
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
const TOGETHER = join(SUITE, 'together.js');
/** Tests wait more than they work: with three files at once, two cores are busy for two thirds of the time. */
const PROCESSES = 5;
/** A browser keeps a core busy: with five at once, stories of half a minute took minutes. */
const BROWSER_PROCESSES = 2;
/** Their figures are of a machine that does nothing else. */
const SCALE_PROCESSES = 1;

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

/** Counts what a TAP program wrote to `output` before it ended with `code`. Returns what failed. */
function count(result: Result, output: string, code: number): readonly string[] {
  const score = readScore(output);
  result.passed += score.passed;
  // A run that broke off without naming a failure is one all the same.
  result.failed += code !== 0 && score.failed === 0 ? 1 : score.failed;
  if (code === 0) return [];
  const named = printFailures(output);
  const failed = named.length > 0 ? named : [`${output}: ended with code ${code}`];
  result.failures.push(...failed);
  return failed;
}

/** Runs the files in this order, beside the standing stacks that they use. */
export async function runFiles(
  result: Result,
  name: string,
  files: readonly string[],
): Promise<void> {
  if (files.length === 0) return;
  const ended = await withStacks(files, RESULTS, () =>
    timed(name, () => runTogether(result, name, files)),
  );
  if (ended.length > 0) noteCheck(result, ended);
  const names = new Set(result.files.map((file) => file.name));
  const lost = files.filter((path) => !names.has(findCompiled(path)));
  const line = `${lost.length} of ${files.length} files did not end: ${lost[0]}`;
  noteCheck(result, lost.length > 0 ? [line] : []);
}

/** For together.js. */
function writeList(name: string, files: readonly string[]): string {
  const list = join(RESULTS, `${name}.files`);
  writeFileSync(list, files.map(findCompiled).join('\n'));
  return list;
}

/** Returns what failed. */
async function runTogether(
  result: Result,
  name: string,
  files: readonly string[],
): Promise<readonly string[]> {
  let ended = 0;
  const showEnd = (line: string): void => {
    const [, outcome, title, ms] =
      /^((?:not )?ok) \d+ - (.*?)(?: # time=([\d.]+)ms)?$/.exec(line) ?? [];
    if (outcome === undefined || title === undefined) return;
    ended += 1;
    const seconds = Number(ms ?? 0) / 1000;
    result.files.push({ name: title, seconds });
    console.log(`${ended}/${files.length} ${outcome} ${title} ${seconds.toFixed(1)} s`);
  };
  const args = ['--enable-source-maps', TOGETHER, writeList(name, files)];
  const run = async (_: unknown, index: number): Promise<readonly string[]> => {
    const output = join(RESULTS, `${name}-${index}.tap`);
    const { child, exited } = startProgram(process.execPath, args, 'pipe');
    if (child.stdout === null) throw new Error('a piped program has an output');
    createInterface({ input: child.stdout }).on('line', showEnd);
    await pipeline(child.stdout, createWriteStream(output));
    return count(result, output, await exited);
  };
  const runs = await Promise.all(Array.from({ length: countProcesses(files) }, run));
  return runs.flat();
}

function countProcesses(files: readonly string[]): number {
  const areIn = (folder: string): boolean => files.every((path) => path.startsWith(folder));
  if (areIn(`test/${SCALE}/`)) return SCALE_PROCESSES;
  return areIn('test/browser/') ? BROWSER_PROCESSES : PROCESSES;
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
  const output = join(RESULTS, 'core.tap');
  const file = openSync(output, 'w');
  const list = writeList('core', listCore());
  const options = ['--reporter=tap', '--coverage-report=json-summary', `--test-arg=${list}`];
  const code = await timed('core', () => runProgram(tap, ['run', ...options, TOGETHER], file));
  closeSync(file);
  count(result, output, code);
  noteCheck(result, findUncovered(root, 'actors/core'));
}
