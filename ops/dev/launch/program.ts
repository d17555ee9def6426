// Runs a program for `npm start` and the tests. It gets its own process group, so that Ctrl-C reaches only the parent,
// which then stops its programs in order. On Linux (setpriv) it also ends with its parent, so that `kill -9` of the
// parent leaves no process behind.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';

export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Runs before every start, to restore files that must exist. */
  readonly prepare?: () => void;
  /** The user to run as; possible for root only. */
  readonly account?: { readonly uid: number; readonly gid: number };
  /** `inherit`, `pipe`, or a file to which standard output and error are appended. */
  readonly output: string;
  /** A channel to the parent: a node process reports over it that it is ready, and ends when it closes. */
  readonly hasChannel: boolean;
  /** The signal to stop with, and the time before the program is killed. */
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

/** The command prefix that sends `signal` to the program when its parent dies. */
export function buildParentGuard(signal: NodeJS.Signals): string[] {
  return hasSetpriv() ? ['setpriv', '--pdeathsig', signal.slice(3)] : [];
}

/** Starts the program. The caller must listen for 'exit' and 'error'. */
export function launch(program: Program): ChildProcess {
  program.prepare?.();
  const file = isFile(program.output) ? openLog(program.output) : null;
  const output = file ?? (program.output as 'inherit' | 'pipe');
  try {
    return spawn(program.command, program.args, {
      detached: true,
      env: { ...program.env },
      stdio: ['ignore', output, output, ...(program.hasChannel ? (['ipc'] as const) : [])],
      // The other user may not be allowed to enter our working folder.
      ...(program.account ? { ...program.account, cwd: '/' } : {}),
    });
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Calls `onReady` when the process reports that it is ready; other messages are ignored. */
export function callOnceReady(child: ChildProcess, onReady: () => void): void {
  child.on('message', (message: { type?: string }) => {
    if (message.type === 'ready') onReady();
  });
}

function isFile(output: string): boolean {
  return output !== 'inherit' && output !== 'pipe';
}

/** Opens the file to append; a large one is first renamed to one older file. */
function openLog(path: string): number {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_MAX_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

export function hasExited(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** Resolves when the process has ended. */
export function waitForExit(child: ChildProcess): Promise<void> {
  if (hasExited(child)) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
}

/** Sends the stop signal, kills the process after its time limit, and waits until it has ended. */
export async function stopProgram(child: ChildProcess, program: Program): Promise<void> {
  if (hasExited(child)) return;
  child.kill(program.stopSignal);
  const timer = setTimeout(() => child.kill('SIGKILL'), program.stopMs);
  await waitForExit(child);
  clearTimeout(timer);
}
