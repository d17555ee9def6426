// A thread for costly work that must delay no request. It has a lower priority than the event loop. It does one job at a
// time, starts with the first one, and ends when none came for IDLE_MS, since a thread costs memory.
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { DeadlineError } from './deadline.js';
import type { Log } from './log.js';

const IDLE_MS = 60_000;
const MAX_HEAP_MIB = 256;
const JOB_DEADLINE_MS = 30_000;

export interface BackgroundThread<Job, Result> {
  /**
   * Parts of the job that are `transferred` are not copied; the caller can use them no more.
   * @throws the error of the job; DeadlineError after JOB_DEADLINE_MS, and the thread is ended
   */
  readonly run: (job: Job, transferred?: readonly ArrayBuffer[]) => Promise<Result>;
  /** Resolves when the job under way is done. */
  readonly close: () => Promise<void>;
}

export interface ThreadOptions {
  /** The URL of the module with the work: `import.meta.resolve('./…')`. */
  readonly module: string;
  /** The function of the module that does a job. */
  readonly name: string;
  /** Is `workerData` in the thread. */
  readonly data?: unknown;
  readonly settings: ThreadSettings;
}

export interface ThreadSettings {
  /** Added to the thread's nice value: 0 for the priority of the event loop, 19 for the lowest. */
  readonly niceness: number;
  readonly log: Pick<Log, 'warn'>;
}

export function openBackgroundThread<Job, Result>(
  options: ThreadOptions,
): BackgroundThread<Job, Result> {
  const { module, name, data = null } = options;
  const { niceness, log } = options.settings;
  const thread = new Piscina<Job, Result>({
    filename: fileURLToPath(module),
    name,
    workerData: data,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    niceIncrement: niceness,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
    // Else the thread blocks between two jobs, and its connection to Postgres answers nothing.
    atomics: 'disabled',
  });
  thread.on('error', (error: unknown) => {
    log.warn({ err: error, name }, 'a background thread failed; the next job starts another one');
  });
  return {
    run: async (job, transferred = []) => {
      const signal = AbortSignal.timeout(JOB_DEADLINE_MS);
      try {
        return await thread.run(job, { transferList: [...transferred], signal });
      } catch (error) {
        throw signal.aborted ? new DeadlineError(JOB_DEADLINE_MS) : error;
      }
    },
    close: () => thread.close(),
  };
}
