// The protocol of payments in a simulated world, over many seeds (npm run simulate for more).
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { runScenario } from './run-scenario.js';
import { buildScenario } from './scenario.js';

/** Each half runs in a process of its own: beside a test runner, which follows every promise, it takes four times as long. */
const SEEDS_A_HALF = 150;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const program = fileURLToPath(import.meta.url).replace('simulation.test.', 'main.');

t.jobs = 2;
for (const from of [1, 1 + SEEDS_A_HALF]) {
  t.test(`no seed from ${from} to ${from + SEEDS_A_HALF - 1} violates a check`, async (t) => {
    const words = ['--protocol', 'payments', '--from', String(from)];
    const seeds = ['--seeds', String(SEEDS_A_HALF)];
    const ran = promisify(execFile)(
      process.execPath,
      [...process.execArgv, program, ...words, ...seeds],
      {
        maxBuffer: MAX_OUTPUT_BYTES,
      },
    );
    // Its output names the seeds that failed, and why.
    const { stdout } = await ran.catch((error: unknown) => error as { stdout: string });
    t.match(stdout, new RegExp(`^${SEEDS_A_HALF} seeds, 0 with violations`, 'm'));
  });
}

t.test('a seed replays exactly', async (t) => {
  for (const seed of [1, 2, 3]) {
    const lines: string[][] = [[], []];
    const digests: string[] = [];
    for (const run of lines) {
      digests.push((await runScenario(buildScenario(seed), (line) => run.push(line))).digest);
    }
    t.strictSame(lines[0], lines[1]);
    t.equal(digests[0], digests[1]);
  }
});
