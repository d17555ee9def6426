// A thread for costly work that must delay no request. It does one job at a time, starts with the first one, and ends when
// none came for IDLE_MS, since a thread costs memory. A thread that crashed fails its job, and the next job starts another.
//
//   UNHURRIED ──a job takes `lateMs`──▶ HURRIED ──HURRIED_MS──▶ UNHURRIED
//
// UNHURRIED: jobs run in a thread of the lowest priority: 1.5 % of a core beside one busy thread.
// HURRIED: jobs run in a second thread, with HURRIED_NICENESS: a tenth of a core beside one busy thread. A job that is
// `repeatable` was started in it too, and its first result counts.
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { type Clock, SYSTEM_CLOCK } from '../clock.js';
import { DeadlineError } from '../deadline.js';
import type { Log } from '../log.js';
import type { ThreadPriority } from '../environment/variables.js';
import { ThreadCrashedError } from './thread-crashed.js';
import type { JobResult, ThreadData } from './thread-main.js';

const IDLE_MS = 60_000;
const MAX_HEAP_MIB = 256;
/** Beside a CSV file the gateway has 168 MiB with it, and 192 with V8's own limit. */
const MAX_YOUNG_MIB = 12;
/** Includes the wait for jobs before it. */
const JOB_DEADLINE_MS = 30_000;
/** Unless the thread has its own. */
const LATE_MS = 2_000;
const HURRIED_MS = 10_000;
const HURRIED_NICENESS = 10;
/** Of Linux only. */
const LOWEST_NICENESS = 19;

export interface BackgroundThread<Job, Result> {
  /**
   * Parts of the job that are `transferred` are not copied; the caller can use them no more.
   * @throws the error of the job; ThreadCrashedError; DeadlineError after JOB_DEADLINE_MS, and the thread is ended
   */
  readonly run: (job: Job, transferred?: readonly ArrayBuffer[]) => Promise<Result>;
  /** Resolves when the jobs under way are done. */
  readonly close: () => Promise<void>;
}

export interface ThreadOptions {
  /** The URL of the module with the work: `import.meta.resolve('./…')`. */
  readonly module: string;
  /** The function of the module that returns the work: a function from a job to its result. */
  readonly name: string;
  /** The argument of that function. */
  readonly data?: unknown;
  /** A job may run twice. */
  readonly isRepeatable: boolean;
  /** So long a job may take on a machine with a free core. */
  readonly lateMs?: number;
  readonly settings: ThreadSettings;
}

export interface ThreadSettings {
  /** `normal`: the threads compete with the event loop. */
  readonly priority: ThreadPriority;
  readonly log: Pick<Log, 'warn'>;
  readonly clock?: Clock;
}

interface JobOptions {
  readonly transferred: readonly ArrayBuffer[];
  /** Aborted after JOB_DEADLINE_MS. */
  readonly signal: AbortSignal;
}

interface Pool<Job, Result> {
  readonly run: (job: Job, options: JobOptions) => Promise<Result>;
  readonly close: () => Promise<void>;
}

export function openBackgroundThread<Job, Result>(
  options: ThreadOptions,
): BackgroundThread<Job, Result> {
  const { lateMs = LATE_MS, settings } = options;
  const { priority, clock = SYSTEM_CLOCK } = settings;
  if (priority === 'normal') return openQueue(openPool(options, 0));
  const unhurried = openPool<Job, Result>(options, LOWEST_NICENESS);
  const hurried = openPool<Job, Result>(options, HURRIED_NICENESS);
  let hurriedUntilMs = 0;
  return openQueue({
    run: async (job, jobOptions) => {
      if (clock.monotonicMs() < hurriedUntilMs) return hurried.run(job, jobOptions);
      const first = unhurried.run(job, jobOptions);
      if (!(await isLate(first, lateMs, clock))) return first;
      hurriedUntilMs = clock.monotonicMs() + HURRIED_MS;
      return options.isRepeatable ? findFirst([first, hurried.run(job, jobOptions)]) : first;
    },
    close: async () => {
      await Promise.all([unhurried.close(), hurried.close()]);
    },
  });
}

/** The first result; an error counts when all have failed. */
async function findFirst<Result>(runs: readonly Promise<Result>[]): Promise<Result> {
  try {
    return await Promise.any(runs);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors.at(-1) : error;
  }
}

/** Passes one job at a time on, so that only the job that runs can be late. */
function openQueue<Job, Result>(pool: Pool<Job, Result>): BackgroundThread<Job, Result> {
  let before: Promise<unknown> = Promise.resolve();
  return {
    run: (job, transferred = []) => {
      const signal = AbortSignal.timeout(JOB_DEADLINE_MS);
      const done = before.then(() => pool.run(job, { transferred, signal }));
      before = done.catch(() => undefined);
      return done;
    },
    close: async () => {
      await before;
      await pool.close();
    },
  };
}

async function isLate(done: Promise<unknown>, lateMs: number, clock: Clock): Promise<boolean> {
  const ended = done.then(
    () => false,
    () => false,
  );
  let cancel = (): void => {};
  const late = new Promise<boolean>((resolve) => {
    cancel = clock.startTimer(lateMs, () => {
      resolve(true);
    });
  });
  try {
    return await Promise.race([ended, late]);
  } finally {
    cancel();
  }
}

function openPool<Job, Result>(
  { module, name, data = null, settings: { log } }: ThreadOptions,
  niceness: number,
): Pool<Job, Result> {
  const pool = new Piscina<Job, JobResult<Result>>({
    filename: fileURLToPath(import.meta.resolve('./thread-main.js')),
    name: 'runJob',
    workerData: { module, name, data } satisfies ThreadData,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    niceIncrement: niceness,
    resourceLimits: {
      maxOldGenerationSizeMb: MAX_HEAP_MIB,
      maxYoungGenerationSizeMb: MAX_YOUNG_MIB,
    },
    // Else the thread blocks between two jobs, and its connection to Postgres answers nothing.
    atomics: 'disabled',
  });
  pool.on('error', (error: unknown) => {
    log.warn({ err: error, name }, 'a background thread failed; the next job starts another one');
  });
  return {
    run: async (job, { transferred, signal }) => {
      // A thread that ends before it can take the job leaves it waiting for another one.
      const ended = new AbortController();
      const onError = (error: unknown): void => {
        ended.abort(error);
      };
      pool.once('error', onError);
      let done: JobResult<Result>;
      try {
        const either = AbortSignal.any([signal, ended.signal]);
        done = await pool.run(job, { transferList: [...transferred], signal: either });
      } catch (error) {
        if (signal.aborted) throw new DeadlineError(JOB_DEADLINE_MS);
        throw new ThreadCrashedError(name, ended.signal.aborted ? ended.signal.reason : error);
      } finally {
        pool.off('error', onError);
      }
      if ('error' in done) throw done.error;
      return done.result;
    },
    // All jobs whose result counts are done.
    close: () => pool.destroy(),
  };
}
