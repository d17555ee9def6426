// Runs the catcher of a mutant in a copy of the sources. A catcher that fails has caught the mutant; so has one that hangs.
// It hangs when it is silent: a test file prints each assertion and a simulation each seed, so that the silence tells a hang
// from a slow machine, which the whole duration does not.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Mutant } from './mutant.js';

/** The simulator stops at the first seed that fails. Seeds begin with 1. */
const SEEDS = 120;
/** A run of rails lasts ten times as long as one of payments. */
const SEEDS_OF_RAILS = 30;
const TEST_TIMEOUT_S = '60';
/** For a catcher that prints without an end. */
const TIMEOUT_MS = 600_000;
/** A test that ends at its first failure does not delete its temporary files, so they are deleted with the copy. */
export const TEMPORARY = 'tmp';
const RUN = ['--import=tsx', '--conditions=kasir-source'];

export interface CatcherResult {
  /** undefined: the catcher passed; else its first line about what failed. */
  readonly failure: string | undefined;
  /** The longest time in which it printed nothing. */
  readonly silentMs: number;
  /** The seed of a simulation after those that passed. */
  readonly failedSeed: number;
}

/** The arguments of the catcher. `first`: the first seeds of a simulation only. */
export function listWords({ caughtBy }: Mutant, first = Infinity): string[] {
  if (typeof caughtBy === 'string') return [caughtBy];
  const seeds = Math.min(first, caughtBy.protocol === 'rails' ? SEEDS_OF_RAILS : SEEDS);
  return [...listSimulation(caughtBy), '--seeds', String(seeds), '--first', '--progress'];
}

/** The catcher with nothing but what has failed: the seed of a simulation, which has printed the others before. */
export function listFailedWords({ caughtBy }: Mutant, { failedSeed }: CatcherResult): string[] {
  if (typeof caughtBy === 'string') return [caughtBy];
  return [...listSimulation(caughtBy), '--seed', String(failedSeed)];
}

function listSimulation({ protocol, fault }: Exclude<Mutant['caughtBy'], string>): string[] {
  const only = fault === undefined ? [] : ['--fault', fault];
  return ['test/simulation/main.ts', '--protocol', protocol, ...only];
}

/** A catcher that prints nothing for `maxSilentMs` is ended. A test file ends at the first assertion that fails. */
export function runCatcher(
  folder: string,
  words: readonly string[],
  maxSilentMs: number,
): Promise<CatcherResult> {
  const child = spawn(process.execPath, [...RUN, ...words], {
    ...{ cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    env: {
      ...process.env,
      TAP_TIMEOUT: TEST_TIMEOUT_S,
      TAP_BAIL: '1',
      TMPDIR: join(folder, TEMPORARY),
    },
  });
  let output = '';
  let silentMs = 0;
  let printedAtMs = performance.now();
  return new Promise((resolve, reject) => {
    const end = (failure: string | undefined): void => {
      clearTimeout(silence);
      clearTimeout(duration);
      const failedSeed = (output.match(/^\w+: seed \d+ has passed$/gm)?.length ?? 0) + 1;
      resolve({ failure, silentMs, failedSeed });
    };
    const stop = (failure: string): void => {
      child.kill('SIGKILL');
      end(failure);
    };
    const silence = setTimeout(
      stop,
      maxSilentMs,
      `it was silent for ${(maxSilentMs / 1000).toFixed(0)} s`,
    );
    const duration = setTimeout(stop, TIMEOUT_MS, `it did not end in ${TIMEOUT_MS / 1000} s`);
    const note = (text: string): void => {
      output += text;
      silentMs = Math.max(silentMs, performance.now() - printedAtMs);
      printedAtMs = performance.now();
      silence.refresh();
    };
    child.stdout.setEncoding('utf8').on('data', note);
    child.stderr.setEncoding('utf8').on('data', note);
    child.on('error', reject);
    child.on('close', (status) => {
      end(status === 0 ? undefined : findFailure(output));
    });
  });
}

function findFailure(output: string): string {
  const lines = output.split('\n');
  return (lines.find((line) => /^seed \d+: |^ *not ok|Error/.test(line)) ?? 'it failed').trim();
}
