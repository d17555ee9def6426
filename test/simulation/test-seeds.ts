// Tests that no seed of a protocol violates a check. Each half of the seeds runs in a process of its own: beside a test
// runner, which follows every promise, a run takes four times as long.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TAP } from 'tap';
import type { Protocol } from './protocol.js';

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const program = fileURLToPath(import.meta.url).replace('test-seeds.', 'main.');

export function testSeeds(t: TAP, { name }: Pick<Protocol, 'name'>, seedsAHalf: number): void {
  t.jobs = 2;
  for (const from of [1, 1 + seedsAHalf]) {
    void t.test(`no seed from ${from} to ${from + seedsAHalf - 1} violates a check`, async (t) => {
      const words = ['--protocol', name, '--from', String(from), '--seeds', String(seedsAHalf)];
      const ran = promisify(execFile)(process.execPath, [...process.execArgv, program, ...words], {
        maxBuffer: MAX_OUTPUT_BYTES,
      });
      // Its output names the seeds that failed, and why.
      const { stdout } = await ran.catch((error: unknown) => error as { stdout: string });
      t.match(stdout, new RegExp(`^${seedsAHalf} seeds, 0 with violations`, 'm'));
    });
  }
}
