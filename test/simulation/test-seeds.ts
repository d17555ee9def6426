// Tests that no seed of a protocol violates a check. Seeds run in a process of their own: beside a test runner, which
// follows every promise, a run takes four times as long.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TAP } from 'tap';
import type { Protocol } from './protocol.js';

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const program = fileURLToPath(import.meta.url).replace('test-seeds.', 'main.');

/** Both ends belong to the range. */
export interface SeedRange {
  readonly from: number;
  readonly to: number;
}

export function testSeeds(t: TAP, { name }: Pick<Protocol, 'name'>, { from, to }: SeedRange): void {
  const count = to - from + 1;
  void t.test(`no seed of ${name} from ${from} to ${to} violates a check`, async (t) => {
    const words = ['--protocol', name, '--from', String(from), '--seeds', String(count)];
    const ran = promisify(execFile)(process.execPath, [...process.execArgv, program, ...words], {
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    // Its output names the seeds that failed, and why.
    const { stdout } = await ran.catch((error: unknown) => error as { stdout: string });
    t.match(stdout, new RegExp(`^${count} seeds, 0 with violations`, 'm'));
  });
}
