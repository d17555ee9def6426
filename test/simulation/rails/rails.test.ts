// The protocol of rails in a simulated world, over many seeds (npm run simulate -- --protocol rails for more).
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { runRailScenario } from './run.js';
import { buildRailScenario } from './scenario.js';

/** Each half runs in a process of its own, as in ../simulation.test.ts. */
const SEEDS_A_HALF = 12;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const program = fileURLToPath(import.meta.url).replace('rails/rails.test.', 'main.');

t.jobs = 2;
for (const from of [1, 1 + SEEDS_A_HALF]) {
  t.test(`no seed from ${from} to ${from + SEEDS_A_HALF - 1} violates a check`, async (t) => {
    const words = ['--protocol', 'rails', '--from', String(from)];
    const ran = promisify(execFile)(
      process.execPath,
      [...process.execArgv, program, ...words, '--seeds', String(SEEDS_A_HALF)],
      { maxBuffer: MAX_OUTPUT_BYTES },
    );
    // Its output names the seeds that failed, and why.
    const { stdout } = await ran.catch((error: unknown) => error as { stdout: string });
    t.match(stdout, new RegExp(`^${SEEDS_A_HALF} seeds, 0 with violations`, 'm'));
  });
}

t.test('a seed replays exactly', async (t) => {
  const lines: string[][] = [[], []];
  for (const run of lines) {
    await runRailScenario(buildRailScenario(1), (line) => run.push(line));
  }
  t.strictSame(lines[0], lines[1]);
});
