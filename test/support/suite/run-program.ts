// Runs the programs of the suite, each in a process group of its own. An interrupt ends the groups that run: a program that
// runs test files does not hand its signal on to them.
import { type ChildProcess, spawn } from 'node:child_process';
import { findPackageRoot } from '#ops/runtime/package-root.js';

const root = findPackageRoot();
const running = new Set<ChildProcess>();

let isInterrupted = false;

export function endPrograms(signal: NodeJS.Signals): void {
  for (const { pid } of running) {
    if (pid === undefined) continue;
    try {
      process.kill(-pid, signal);
    } catch {
      // It has ended, and its exit is not reported yet.
    }
  }
}

/** Also ends those that are started later. */
export function interruptPrograms(signal: NodeJS.Signals): void {
  isInterrupted = true;
  endPrograms(signal);
}

/** Starts it without standard input. `exited` is its exit code; 127: it could not be started. */
export function startProgram(
  command: string,
  args: readonly string[],
  output: 'inherit' | 'pipe' | number = 'inherit',
): { child: ChildProcess; exited: Promise<number> } {
  const stdio = ['ignore', output, 'inherit'] as const;
  const child = spawn(command, args, { cwd: root, detached: true, stdio: [...stdio] });
  if (child.pid !== undefined) running.add(child);
  if (isInterrupted) endPrograms('SIGTERM');
  const exited = new Promise<number>((resolve) => {
    child.on('error', (error) => {
      console.error(error.message);
      resolve(127);
    });
    child.on('exit', (code) => {
      running.delete(child);
      resolve(code ?? 1);
    });
  });
  return { child, exited };
}

export const runProgram = (
  command: string,
  args: readonly string[],
  output?: number,
): Promise<number> => startProgram(command, args, output).exited;

/** Says when `work` begins, and how long it took. */
export async function timed<T>(title: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  console.log(`\n== ${title}`);
  const result = await work();
  console.log(`== ${title}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return result;
}
