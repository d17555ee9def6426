// Runs one of the built programs (the service's or the control) until it says that it serves.
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import {
  launch,
  callOnceReady,
  type Program,
  stopProgram,
  waitForExit,
} from '#ops/dev/launch/program.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';

export interface NodeProcess {
  readonly name: string;
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it has ended, whoever ended it. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface NodeOptions {
  name: string;
  /** From the package root: `dist/bundle/gateway/main.js`. */
  file: string;
  /** Of Node itself. */
  flags?: readonly string[];
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** File that its output goes to. */
  output: string;
}

const READY_MS = 20_000;
const STOP_MS = 20_000;

/** Options of Node itself for the programs under test, such as `--cpu-prof`, when profiling. */
function extraFlags(name: string): string[] {
  const flags = process.env[`BENCH_NODE_${name.toUpperCase()}`] ?? '';
  return flags.split(' ').filter((flag) => flag !== '');
}

/** In production each process gets its own command key only; the payments process checks all of them. */
function selectVariables({ name, env = {} }: NodeOptions): Record<string, string> {
  const isOwn = ([variable]: readonly [string, string]): boolean =>
    !variable.startsWith('COMMAND_KEY_') ||
    name === 'payments' ||
    variable === `COMMAND_KEY_${name.toUpperCase()}`;
  return Object.fromEntries(Object.entries(env).filter(isOwn));
}

/** @throws Error when it does not get ready in time */
export async function startNode(options: NodeOptions): Promise<NodeProcess> {
  const program: Program = {
    name: options.name,
    command: process.execPath,
    args: [
      ...(options.flags ?? []),
      ...extraFlags(options.name),
      join(findPackageRoot(), options.file),
      ...(options.args ?? []),
    ],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...selectVariables(options) },
    output: options.output,
    hasChannel: true,
    stopSignal: 'SIGTERM',
    stopMs: STOP_MS,
  };
  const child = launch(program);
  await waitUntilReady(child, options);
  return {
    name: options.name,
    pid: child.pid ?? 0,
    kill: (signal) => void child.kill(signal),
    ended: waitForExit(child),
    stop: () => stopProgram(child, program),
  };
}

function waitUntilReady(child: ChildProcess, { name, output }: NodeOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => reject(new Error(`${name} ${reason}, see ${output}`));
    const timer = setTimeout(() => fail(`was not ready in ${READY_MS} ms`), READY_MS);
    callOnceReady(child, () => {
      clearTimeout(timer);
      resolve();
    });
    child.once('exit', () => fail('ended'));
  });
}
