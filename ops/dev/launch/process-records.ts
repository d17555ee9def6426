// {DATA_DIR}/processes.json: the processes of one `npm start`. It stops two starts from sharing a folder, and lets the
// next start end the processes that a killed one left behind. A process is identified by its id and start time, because
// the system reuses ids.
import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from './wait-until.js';

interface ProcessRecord {
  readonly name: string;
  readonly pid: number;
  readonly began: string;
}

interface StartRecord extends ProcessRecord {
  /** The parent process: when it is gone (`npm` was killed), the start counts as left over too. */
  readonly parent: number;
  readonly children: readonly ProcessRecord[];
}

const ORPHAN_STOP_MS = 90_000;
/** Short, because the servers of left-over processes may be gone. */
const CHILD_STOP_MS = 5_000;
const POSTGRES_STOP_MS = 30_000;

export interface Records {
  /** Call it after each program start; the file is replaced by a rename. */
  add(name: string, pid: number): void;
  release(): void;
}

/**
 * Claims the folder for this process, after it ended the processes of an earlier start.
 * @throws Error when another start is running in the folder
 */
export async function claimFolder(
  dataDir: string,
  report: (line: string) => void,
): Promise<Records> {
  const path = join(dataDir, 'processes.json');
  let own: StartRecord = {
    ...buildRecord('npm start', process.pid),
    parent: process.ppid,
    children: [],
  };
  while (!create(path, own)) await endEarlierStart(path, report);
  await endEarlierPostgres(join(dataDir, 'postgres'), report);
  return {
    add: (name, pid) => {
      const others = own.children.filter((child) => child.name !== name);
      own = { ...own, children: [...others, buildRecord(name, pid)] };
      replace(path, own);
    },
    release: () => {
      rmSync(path, { force: true });
    },
  };
}

/** Links atomically and never replaces an existing file. */
function create(path: string, own: StartRecord): boolean {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(own), { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

function replace(path: string, own: StartRecord): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(own), { mode: 0o600 });
  renameSync(draft, path);
}

async function endEarlierStart(path: string, report: (line: string) => void): Promise<void> {
  const earlier = readRecord(path);
  if (earlier !== null && isSame(earlier)) {
    if (readParent(earlier.pid) === earlier.parent) {
      throw new Error(`another npm start (process ${earlier.pid}) is at work in this DATA_DIR`);
    }
    report(`ending an earlier start (process ${earlier.pid}) whose npm is gone`);
    await end(earlier, ['SIGTERM', 'SIGKILL'], ORPHAN_STOP_MS);
  }
  for (const child of earlier?.children ?? []) {
    if (!isSame(child)) continue;
    report(`ending ${child.name} (process ${child.pid}), left over from an earlier start`);
    if (child.name === 'postgres') await end(child, ['SIGINT', 'SIGQUIT'], POSTGRES_STOP_MS);
    else await end(child, ['SIGTERM', 'SIGKILL'], CHILD_STOP_MS);
  }
  rmSync(path, { force: true });
}

/** Postgres keeps its own record, with its process id and folder. It counts only if that process is a postgres. */
async function endEarlierPostgres(folder: string, report: (line: string) => void): Promise<void> {
  const path = join(folder, 'postmaster.pid');
  if (!existsSync(path)) return;
  const pid = Number(readFileSync(path, 'utf8').split('\n')[0]);
  const command = Number.isInteger(pid) && pid > 1 ? readCommand(pid) : '';
  if (command.includes('postgres') && command.includes(folder)) {
    report(`ending postgres (process ${pid}), left over from an earlier start`);
    await end(buildRecord('postgres', pid), ['SIGINT', 'SIGQUIT'], POSTGRES_STOP_MS);
  }
  // A stale record could name a foreign process by now, and Postgres would refuse to start because of it.
  rmSync(path, { force: true });
}

async function end(record: ProcessRecord, signals: NodeJS.Signals[], ms: number): Promise<void> {
  for (const signal of signals) {
    if (!isSame(record)) return;
    process.kill(record.pid, signal);
    // A stopped process (SIGSTOP) handles a signal only after it continues.
    process.kill(record.pid, 'SIGCONT');
    await waitUntil(`${record.name} ends`, () => !isSame(record), ms).catch(() => null);
  }
  if (isSame(record))
    throw new Error(
      `${record.name} (process ${record.pid}) did not end within its time limit; end it by hand`,
    );
}

function readRecord(path: string): StartRecord | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as StartRecord;
  } catch {
    return null;
  }
}

function buildRecord(name: string, pid: number): ProcessRecord {
  return { name, pid, began: readStartTime(pid) ?? '' };
}

function isSame(record: ProcessRecord): boolean {
  const began = readStartTime(record.pid);
  return began !== null && began === record.began;
}

/** The fields of /proc/<pid>/stat after the command: state, parent, …; null: no such process. */
function readStat(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; its parent has not noticed yet.
    return fields[0] === 'Z' ? null : fields;
  } catch {
    return null;
  }
}

function ask(pid: number, column: string): string {
  const options = { encoding: 'utf8' } as const;
  return spawnSync('ps', ['-o', `${column}=`, '-p', String(pid)], options).stdout.trim();
}

const hasProc = existsSync('/proc/self/stat');

function readStartTime(pid: number): string | null {
  if (hasProc) return readStat(pid)?.[19] ?? null;
  return ask(pid, 'lstart') || null;
}

function readParent(pid: number): number {
  return Number(hasProc ? readStat(pid)?.[1] : ask(pid, 'ppid'));
}

function readCommand(pid: number): string {
  if (!hasProc) return ask(pid, 'command');
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
