// wrk, the generator of the ratios: it costs a tenth of the CPU of a sender in JavaScript, which on a
// machine with two cores would be taken from the service and make every service look alike.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { canInstall, findProgram, install } from '#ops/dev/setup/debian.mjs';
import { findPackageRoot } from '#ops/runtime/package-root.js';

export interface WrkRun {
  requests: number;
  durationUs: number;
  /** Connections refused or broken, and time-outs. */
  errors: number;
  /** Answers of 400 and above. */
  refused: number;
  p50Us: number;
  p99Us: number;
  maxUs: number;
}

export interface WrkOptions {
  script: 'create.lua' | 'get.lua';
  port: number;
  connections: number;
  seconds: number;
  args: readonly string[];
}

const THREADS = 1;
const TIMEOUT_S = 10;
const GRACE_MS = 20_000;

/**
 * Installs wrk with apt where we may.
 * @throws Error that says what to type otherwise
 */
export function ensureWrk(): void {
  if (findProgram(['wrk']) !== null) return;
  if (canInstall()) install('wrk');
  if (findProgram(['wrk']) === null) {
    throw new Error('wrk was not found: install it (Debian: apt install wrk)');
  }
}

export function runWrk(options: WrkOptions): Promise<WrkRun> {
  const script = join(findPackageRoot(), 'bench', 'load', options.script);
  const child = spawn(
    'wrk',
    [
      `-t${THREADS}`,
      `-c${options.connections}`,
      `-d${options.seconds}s`,
      `--timeout`,
      `${TIMEOUT_S}s`,
      '-s',
      script,
      `http://127.0.0.1:${options.port}`,
      '--',
      ...options.args,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], timeout: options.seconds * 1000 + GRACE_MS },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('latin1')));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      const line = /^\{.*\}$/m.exec(output)?.[0];
      if (line === undefined) reject(new Error(`wrk gave no figures: ${output}`));
      else resolve(JSON.parse(line) as WrkRun);
    });
  });
}

/** Answers below 400, a second. */
export function rateOf(run: WrkRun): number {
  return ((run.requests - run.refused) * 1e6) / run.durationUs;
}
