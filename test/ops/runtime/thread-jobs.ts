// The work of the threads in background-thread.test.ts.
import { readFileSync } from 'node:fs';

export type Job = 'describe' | 'throw' | 'exit' | 'exhaust' | 'hang unhurried';

export interface ThreadFacts {
  readonly niceness: number;
  /** Jobs that this thread did before. */
  readonly jobsBefore: number;
  readonly data: unknown;
}

const LOWEST = 19;

export function openJobs(data: unknown): (job: Job) => ThreadFacts {
  let jobs = 0;
  return (job) => {
    const facts = { niceness: readOwnNiceness(), jobsBefore: jobs, data };
    jobs += 1;
    if (job === 'throw') throw new RangeError('the job failed');
    if (job === 'exit') process.exit(1);
    if (job === 'exhaust') fillHeap();
    if (job === 'hang unhurried' && facts.niceness === LOWEST) hang();
    return facts;
  };
}

/** The fields behind the name of the thread, which may contain spaces: see proc_pid_stat(5). */
export function readOwnNiceness(): number {
  const text = readFileSync('/proc/thread-self/stat', 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[16]);
}

function fillHeap(): void {
  const kept: unknown[][] = [];
  for (;;) kept.push(new Array(1_000_000).fill(kept));
}

function hang(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
