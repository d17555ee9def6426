// Keeps one program running. A program that dies is restarted, at once the first time, then after a growing delay that
// is reset after 5 s of health.
//   STOPPED → RUNNING → (died) WAITING → RUNNING …      stop() ends it from any state
import type { ChildProcess } from 'node:child_process';
import { launch, type Program, stopProgram } from './program.js';

const DELAYS_MS = [0, 250, 500, 1_000, 2_000, 4_000, 8_000];
const HEALTHY_MS = 5_000;

export interface Supervised {
  readonly name: string;
  /** The current process; null while none runs. */
  pid(): number | null;
  stop(): Promise<void>;
}

export interface SupervisorHooks {
  /** Receives messages for the person at the terminal. */
  readonly report: (line: string) => void;
  /** Called after every start of the program. */
  readonly onStart: (name: string, pid: number) => void;
  /** Receives the messages of the program. */
  readonly onMessage: (name: string, message: unknown) => void;
}

/** `describe` is called before every start, because the environment may have changed. */
export function supervise(
  name: string,
  describe: () => Program,
  watch: SupervisorHooks,
): Supervised {
  let child: ChildProcess | null = null;
  let program = describe();
  let failures = 0;
  let isStopping = false;
  let timer: NodeJS.Timeout | null = null;

  const start = (): void => {
    timer = null;
    program = describe();
    const began = performance.now();
    const current = launch(program);
    child = current;
    if (current.pid !== undefined) watch.onStart(name, current.pid);
    current.on('message', (message) => {
      watch.onMessage(name, message);
    });
    callOnceEnded(current, (how) => {
      child = null;
      if (isStopping) return;
      if (performance.now() - began >= HEALTHY_MS) failures = 0;
      const delayMs = DELAYS_MS[Math.min(failures, DELAYS_MS.length - 1)] ?? 0;
      failures += 1;
      watch.report(
        `${name} ended (${how}), started again${delayMs > 0 ? ` in ${delayMs} ms` : ''}`,
      );
      timer = setTimeout(start, delayMs);
    });
  };

  start();
  return {
    name,
    pid: () => child?.pid ?? null,
    stop: async () => {
      isStopping = true;
      if (timer !== null) clearTimeout(timer);
      if (child !== null) await stopProgram(child, program);
    },
  };
}

/** 'error' replaces 'exit' when the program could not be started; in other cases both events occur. */
function callOnceEnded(child: ChildProcess, ended: (how: string) => void): void {
  let isTold = false;
  const tell = (how: string): void => {
    if (isTold) return;
    isTold = true;
    ended(how);
  };
  child.on('error', (error) => {
    if (child.pid === undefined) tell(error.message);
  });
  child.on('exit', (code, signal) => {
    tell(signal ?? `code ${code}`);
  });
}
