// {DATA_DIR}/processes.json: which processes a start has made. It keeps two starts from sharing one folder,
// and lets the next start end what a killed one left behind. A process is known by its number and the time
// it began, so that a number that the system has given to somebody else is never mistaken for ours.
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
  /** Who started it; when that is gone (`npm` was killed), the start is left over too. */
  readonly parent: number;
  readonly children: readonly ProcessRecord[];
}

const ORPHAN_STOP_MS = 90_000;
/** Left-over processes are not waited for long: their own servers may be gone. */
const CHILD_STOP_MS = 5_000;
const POSTGRES_STOP_MS = 30_000;

export interface Records {
  /** Call after a program was started; the file is replaced by rename. */
  add(name: string, pid: number): void;
  release(): void;
}

/**
 * Takes the folder for this process, after whatever an earlier start left there was ended.
 * @throws Error when another start is at work in it
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

/** A link appears complete or not at all, and never over another file. */
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

/** Postgres keeps its own record: number and folder. It counts only when that process is a postgres. */
async function endEarlierPostgres(folder: string, report: (line: string) => void): Promise<void> {
  const path = join(folder, 'postmaster.pid');
  if (!existsSync(path)) return;
  const pid = Number(readFileSync(path, 'utf8').split('\n')[0]);
  const command = Number.isInteger(pid) && pid > 1 ? readCommand(pid) : '';
  if (command.includes('postgres') && command.includes(folder)) {
    report(`ending postgres (process ${pid}), left over from an earlier start`);
    await end(buildRecord('postgres', pid), ['SIGINT', 'SIGQUIT'], POSTGRES_STOP_MS);
  }
  // Else the number may be somebody else's by now, and Postgres would refuse to start because of it.
  rmSync(path, { force: true });
}

async function end(record: ProcessRecord, signals: NodeJS.Signals[], ms: number): Promise<void> {
  for (const signal of signals) {
    if (!isSame(record)) return;
    process.kill(record.pid, signal);
    // A process that was stopped (SIGSTOP) hears a signal only when it goes on.
    process.kill(record.pid, 'SIGCONT');
    await waitUntil(`${record.name} ends`, ms, () => !isSame(record)).catch(() => null);
  }
  if (isSame(record)) throw new Error(`${record.name} (process ${record.pid}) does not end`);
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

/** Fields of /proc/<pid>/stat after the command: state, parent, …; null when there is no such process. */
function readStat(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; it only waits for its parent to notice.
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
