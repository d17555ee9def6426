// The work of the threads in background-thread.test.ts.
import { readFileSync } from 'node:fs';

export type Job = 'describe' | 'throw' | 'exit' | 'exhaust' | 'hang while idle';

export interface ThreadFacts {
  /** As in sched(7): 0 is SCHED_OTHER, 5 is SCHED_IDLE. */
  readonly policy: number;
  readonly niceness: number;
  /** Jobs that this thread did before. */
  readonly jobsBefore: number;
  readonly data: unknown;
}

const IDLE_POLICY = 5;

export function openJobs(data: unknown): (job: Job) => ThreadFacts {
  let jobs = 0;
  return (job) => {
    const facts = { ...readOwnClass(), jobsBefore: jobs, data };
    jobs += 1;
    if (job === 'throw') throw new RangeError('the job failed');
    if (job === 'exit') process.exit(1);
    if (job === 'exhaust') fillHeap();
    if (job === 'hang while idle' && facts.policy === IDLE_POLICY) hang();
    return facts;
  };
}

/** The fields behind the name of the thread, which may contain spaces: see proc_pid_stat(5). */
export function readOwnClass(): { policy: number; niceness: number } {
  const text = readFileSync('/proc/thread-self/stat', 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { niceness: Number(fields[16]), policy: Number(fields[38]) };
}

function fillHeap(): void {
  const kept: unknown[][] = [];
  for (;;) kept.push(new Array(1_000_000).fill(kept));
}

function hang(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
