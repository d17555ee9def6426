// Threads of the lowest priority do jobs one at a time, survive crashes, and hurry when no core is free.
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { type Clock, SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import {
  type BackgroundThread,
  openBackgroundThread,
  type ThreadOptions,
} from '#ops/runtime/threads/background-thread.js';
import type { TestScope } from '#test/support/servers.js';
import { type Job, readOwnNiceness, type ThreadFacts } from './thread-jobs.js';

/** Threads run from dist/, as processes do. */
const JOBS = pathToFileURL(join(findPackageRoot(), 'dist/test/ops/runtime/thread-jobs.js')).href;
/** However busy the machine is, no job is late. */
const PATIENT: Clock = { ...SYSTEM_CLOCK, startTimer: () => () => undefined };
const LOWEST = 19;

type Thread = BackgroundThread<Job, ThreadFacts>;
type Options = Partial<Pick<ThreadOptions, 'isRepeatable'>> & {
  readonly priority?: 'idle' | 'normal';
  readonly clock?: Clock;
};

function open(t: TestScope, options: Options = {}): Thread {
  const { isRepeatable = false, priority = 'idle', clock = PATIENT } = options;
  const log: Pick<Log, 'warn'> = { warn: () => undefined };
  const thread = openBackgroundThread<Job, ThreadFacts>({
    module: JOBS,
    name: 'openJobs',
    data: 'the data',
    isRepeatable,
    settings: { priority, log, clock },
  });
  t.teardown(() => thread.close());
  return thread;
}

t.test('a job runs with the lowest priority, and the event loop keeps its own', async (t) => {
  const before = readOwnNiceness();
  const thread = open(t);
  t.match(await thread.run('describe'), { niceness: LOWEST, jobsBefore: 0, data: 'the data' });
  t.match(await thread.run('describe'), { niceness: LOWEST, jobsBefore: 1 }, 'the same thread');
  t.equal(readOwnNiceness(), before);
});

t.test('a thread of normal priority has that of the event loop', async (t) => {
  const thread = open(t, { priority: 'normal' });
  t.match(await thread.run('describe'), { niceness: readOwnNiceness() });
});

t.test('a job that throws fails alone, with its error', async (t) => {
  const thread = open(t);
  const jobs = [thread.run('describe'), thread.run('throw'), thread.run('describe')] as const;
  await t.rejects(jobs[1], { name: 'RangeError', message: 'the job failed' });
  t.match(await jobs[2], { jobsBefore: 2 });
});

for (const crash of ['exit', 'exhaust'] as const) {
  t.test(
    `a thread that crashed (${crash}) fails its job, and the next one starts it`,
    async (t) => {
      // At the lowest priority a full heap takes longer than a job may, while the cores are busy.
      const thread = open(t, { priority: 'normal' });
      const jobs = [thread.run(crash), thread.run('describe')] as const;
      await t.rejects(jobs[0], { message: /"openJobs" crashed during a job/ });
      t.match(await jobs[1], { jobsBefore: 0 });
    },
  );
}

t.test('a late job that is repeatable is done by a thread that hurries', async (t) => {
  const thread = open(t, { isRepeatable: true, clock: SYSTEM_CLOCK });
  // A thread adds its value to that of the process.
  const niceness = getPriority() + 10;
  t.match(await thread.run('hang unhurried'), { niceness });
  t.match(await thread.run('describe'), { niceness, jobsBefore: 1 });
});
