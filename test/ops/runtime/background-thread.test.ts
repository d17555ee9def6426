// Threads of the idle class do jobs one at a time, survive crashes, and hurry when no core is free.
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
import { type Job, readOwnClass, type ThreadFacts } from './thread-jobs.js';

/** Threads run from dist/, as processes do. */
const JOBS = pathToFileURL(join(findPackageRoot(), 'dist/test/ops/runtime/thread-jobs.js')).href;
/** However busy the machine is, no job is late. */
const PATIENT: Clock = { ...SYSTEM_CLOCK, startTimer: () => () => undefined };
const NORMAL = 0;
const IDLE = 5;

type Thread = BackgroundThread<Job, ThreadFacts>;
type Options = Partial<Pick<ThreadOptions, 'isRepeatable'>> & {
  readonly priority?: 'idle' | 'normal';
  readonly clock?: Clock;
};

/** A thread, and the messages that it warned with. */
function open(t: TestScope, options: Options = {}): { thread: Thread; warnings: string[] } {
  const { isRepeatable = false, priority = 'idle', clock = PATIENT } = options;
  const warnings: string[] = [];
  const warn = (_fields: unknown, message?: string): void => void warnings.push(message ?? '');
  const log: Pick<Log, 'warn'> = { warn };
  const thread = openBackgroundThread<Job, ThreadFacts>({
    module: JOBS,
    name: 'openJobs',
    data: 'the data',
    isRepeatable,
    settings: { priority, log, clock },
  });
  t.teardown(() => thread.close());
  return { thread, warnings };
}

t.test('a job runs in the idle class, and the event loop keeps its own', async (t) => {
  const { thread, warnings } = open(t);
  t.match(await thread.run('describe'), { policy: IDLE, jobsBefore: 0, data: 'the data' });
  t.match(await thread.run('describe'), { policy: IDLE, jobsBefore: 1 }, 'the same thread');
  t.equal(readOwnClass().policy, NORMAL);
  t.strictSame(warnings, []);
});

t.test('a thread of normal priority has the class of the event loop', async (t) => {
  const { thread } = open(t, { priority: 'normal' });
  t.match(await thread.run('describe'), readOwnClass());
});

t.test('a job that throws fails alone, with its error', async (t) => {
  const { thread } = open(t);
  const jobs = [thread.run('describe'), thread.run('throw'), thread.run('describe')] as const;
  await t.rejects(jobs[1], { name: 'RangeError', message: 'the job failed' });
  t.match(await jobs[2], { jobsBefore: 2 });
});

for (const crash of ['exit', 'exhaust'] as const) {
  t.test(
    `a thread that crashed (${crash}) fails its job, and the next one starts it`,
    async (t) => {
      const { thread } = open(t);
      const jobs = [thread.run(crash), thread.run('describe')] as const;
      await t.rejects(jobs[0], { message: /"openJobs" crashed during a job/ });
      t.match(await jobs[1], { jobsBefore: 0 });
    },
  );
}

t.test('a thread without chrt warns once and has the lowest nice value', async (t) => {
  const path = process.env['PATH'];
  process.env['PATH'] = '';
  t.teardown(() => {
    process.env['PATH'] = path;
  });
  const { thread, warnings } = open(t);
  t.match(await thread.run('describe'), { policy: NORMAL, niceness: 19 });
  await t.rejects(thread.run('exit'), { message: /"openJobs" crashed during a job/ });
  t.match(await thread.run('describe'), { policy: NORMAL, niceness: 19, jobsBefore: 0 });
  t.match(warnings, [/install chrt \(Debian: util-linux\)/]);
});

t.test('a late job that is repeatable is done by a thread that hurries', async (t) => {
  const { thread } = open(t, { isRepeatable: true, clock: SYSTEM_CLOCK });
  // A thread adds its value to that of the process.
  const niceness = getPriority() + 10;
  t.match(await thread.run('hang while idle'), { policy: NORMAL, niceness });
  t.match(await thread.run('describe'), { policy: NORMAL, niceness, jobsBefore: 1 });
});
