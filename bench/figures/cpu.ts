// CPU seconds and resident memory of processes, from /proc. A server that forks (Postgres) counts with all
// its children, the ended ones included, so that figures only rise.
import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const KIB_PER_MIB = 1024;

/** A name to print, and the process that leads it. */
export type Watched = Readonly<Record<string, number>>;

export type CpuSeconds = Record<string, number>;

interface Stat {
  parent: number;
  ownTicks: number;
  endedChildrenTicks: number;
}

/** Fields of /proc/<pid>/stat behind the name, which may hold spaces and brackets itself. */
function readStat(pid: number | string): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, utime = 0, stime = 0] = [fields[1], fields[11], fields[12]];
    return {
      parent,
      ownTicks: utime + stime,
      endedChildrenTicks: (fields[13] ?? 0) + (fields[14] ?? 0),
    };
  } catch {
    return undefined;
  }
}

/** CPU seconds so far of each watched process, with its children; `generator` is what we ran ourselves. */
export function readCpu(watched: Watched): CpuSeconds {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(readStat);
  const seconds: CpuSeconds = {};
  for (const [name, pid] of Object.entries(watched)) {
    const lead = readStat(pid);
    let ticks = (lead?.ownTicks ?? 0) + (lead?.endedChildrenTicks ?? 0);
    for (const stat of stats) if (stat?.parent === pid) ticks += stat.ownTicks;
    seconds[name] = ticks / TICKS_PER_SECOND;
  }
  const self = readStat(process.pid);
  seconds['generator'] =
    ((self?.ownTicks ?? 0) + (self?.endedChildrenTicks ?? 0)) / TICKS_PER_SECOND;
  return seconds;
}

const NS_PER_SECOND = 1e9;

/** CPU seconds so far of a process's main thread, which runs the event loop of Node, in nanoseconds and not in ticks. */
export function readThreadCpu(pid: number): number {
  const [ns] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ');
  return Number(ns) / NS_PER_SECOND;
}

/** CPU seconds so far of the whole machine, whoever used them. */
export function readMachineCpu(): number {
  const [first = ''] = readFileSync('/proc/stat', 'latin1').split('\n');
  // user, nice, system, idle, iowait, irq, softirq; what a guest uses stands in user as well
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = first
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) / TICKS_PER_SECOND;
}

export function subtractCpu(after: CpuSeconds, before: CpuSeconds): CpuSeconds {
  return Object.fromEntries(
    Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]),
  );
}

/** Resident memory of one process in MiB. */
export function readRssMib(pid: number): number {
  return readStatusMib(pid, 'VmRSS');
}

/** The most that it ever was. */
export function readPeakRssMib(pid: number): number {
  return readStatusMib(pid, 'VmHWM');
}

function readStatusMib(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / KIB_PER_MIB;
}

/** `gateway 47 · payments 28 · …`: microseconds of CPU for each of `count` answers, the largest first. */
export function describeCpu(cpu: CpuSeconds, count: number): string {
  return Object.entries(cpu)
    .filter(([, seconds]) => seconds >= 0.05)
    .sort(([, a], [, b]) => b - a)
    .map(([name, seconds]) => `${name} ${Math.round((seconds * 1e6) / Math.max(1, count))}`)
    .join(' · ');
}
