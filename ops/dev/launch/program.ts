// How `npm start` and the tests run a program: in a process group of its own, so that Ctrl-C in a terminal
// reaches only the one who then stops the others in order, and ending with its parent where the system can
// do that (on Linux by setpriv), so that even `kill -9` of the parent leaves nothing behind.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';

export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Runs before every start: makes again what must be there. */
  readonly prepare?: () => void;
  /** The user to run as; root only. */
  readonly account?: { readonly uid: number; readonly gid: number };
  /** `inherit`, `pipe`, or the file that standard output and error are appended to. */
  readonly output: string;
  /** A channel to the parent: node programs of ours tell it that they are ready, and end with it. */
  readonly hasChannel: boolean;
  /** What it is asked to stop with, and for how long before it is killed. */
  readonly stopSignal: NodeJS.Signals;
  readonly stopMs: number;
}

const LOG_MAX_BYTES = 16 * 1024 * 1024;

let setpriv: boolean | null = null;

function hasSetpriv(): boolean {
  setpriv ??=
    process.platform === 'linux' &&
    spawnSync('setpriv', ['--pdeathsig', 'TERM', 'true']).status === 0;
  return setpriv;
}

/** The words to put in front of a command that is to get `signal` when its parent dies. */
export function buildParentGuard(signal: NodeJS.Signals): string[] {
  return hasSetpriv() ? ['setpriv', '--pdeathsig', signal.slice(3)] : [];
}

/** Starts the program. Whoever calls listens for 'exit' and 'error'. */
export function launch(program: Program): ChildProcess {
  program.prepare?.();
  const file = isFile(program.output) ? openLog(program.output) : null;
  const output = file ?? (program.output as 'inherit' | 'pipe');
  try {
    return spawn(program.command, program.args, {
      detached: true,
      env: { ...program.env },
      stdio: ['ignore', output, output, ...(program.hasChannel ? (['ipc'] as const) : [])],
      // Another user may not be able to enter our folder.
      ...(program.account ? { ...program.account, cwd: '/' } : {}),
    });
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Calls `onReady` when a program of ours says that it serves; before, it tells other things. */
export function callOnceReady(child: ChildProcess, onReady: () => void): void {
  child.on('message', (message: { type?: string }) => {
    if (message.type === 'ready') onReady();
  });
}

function isFile(output: string): boolean {
  return output !== 'inherit' && output !== 'pipe';
}

/** Appends, and keeps one older file when it has grown large. */
function openLog(path: string): number {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_MAX_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

export function hasExited(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** Resolves when the process has ended; at once when it already has. */
export function waitForExit(child: ChildProcess): Promise<void> {
  if (hasExited(child)) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
}

/** Asks it to stop, kills it when it does not in time, and waits until it is gone. */
export async function stopProgram(child: ChildProcess, program: Program): Promise<void> {
  if (hasExited(child)) return;
  child.kill(program.stopSignal);
  const timer = setTimeout(() => child.kill('SIGKILL'), program.stopMs);
  await waitForExit(child);
  clearTimeout(timer);
}
