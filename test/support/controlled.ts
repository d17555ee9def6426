// A program that a test has in its hand: started, killed, stopped (SIGSTOP) and started again at will.
import type { ChildProcess } from 'node:child_process';
import {
  hasExited,
  launch,
  callOnceReady,
  type Program,
  stopProgram,
  waitForExit,
} from '#ops/dev/launch/program.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';

const KEPT_LINES = 20_000;

export interface Controlled {
  readonly name: string;
  pid(): number;
  isRunning(): boolean;
  /** How it ended last: an exit code, a signal, or null while it runs. */
  ended(): number | NodeJS.Signals | null;
  /** Starts it (again) and resolves when it serves. */
  start(): Promise<void>;
  /** Asks it to end, as a supervisor would, and waits. */
  stop(): Promise<void>;
  /** kill -9, and waits until it is gone. */
  kill(): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  pause(): void;
  resume(): void;
  signal(signal: NodeJS.Signals): void;
  waitForEnd(): Promise<number | NodeJS.Signals | null>;
  /** Its output lines over all its lives, oldest first. */
  lines(): readonly string[];
}

/**
 * `isUp` is asked until it is true; an end of the program before that is an error with its last lines.
 * Programs with a channel say themselves that they serve, and need no `isUp`.
 */
export function control(program: Program, isUp?: () => Promise<boolean>): Controlled {
  const lines: string[] = [];
  let isReady = false;
  let child: ChildProcess | null = null;
  const current = (): ChildProcess => {
    if (child === null) throw new Error(`${program.name} was not started`);
    return child;
  };
  const start = async (): Promise<void> => {
    if (child !== null && !hasExited(child)) throw new Error(`${program.name} runs already`);
    const started = launch(program);
    child = started;
    isReady = false;
    callOnceReady(started, () => {
      isReady = true;
    });
    collect(started, lines);
    await waitUntil(`${program.name} serves`, async () => {
      if (hasExited(started)) return 'ended';
      return isReady || (await isUp?.()) ? 'up' : null;
    });
    if (hasExited(started)) {
      throw new Error(`${program.name} ended at start:\n${lines.slice(-20).join('\n')}`);
    }
  };
  return {
    name: program.name,
    pid: () => current().pid ?? 0,
    isRunning: () => child !== null && !hasExited(child),
    ended: () => child?.exitCode ?? child?.signalCode ?? null,
    start,
    stop: async () => {
      if (child === null) return;
      child.kill('SIGCONT');
      await stopProgram(child, program);
    },
    kill: async () => {
      current().kill('SIGKILL');
      await waitForExit(current());
    },
    pause: () => void current().kill('SIGSTOP'),
    resume: () => void current().kill('SIGCONT'),
    signal: (signal) => void current().kill(signal),
    waitForEnd: async () => {
      await waitForExit(current());
      return current().exitCode ?? current().signalCode;
    },
    lines: () => lines,
  };
}

/** Bounded: the oldest lines go first. */
function collect(child: ChildProcess, lines: string[]): void {
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString('utf8')).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
      if (lines.length > KEPT_LINES) lines.splice(0, lines.length - KEPT_LINES);
    });
  }
}
