// Runs the storing of documents in a thread, so that no other request waits for it. The thread starts with the first
// document and ends when none came for IDLE_MS: most gateways store none for hours, and a thread costs memory.
import { Worker } from 'node:worker_threads';
import type { NamedKey } from '#ops/runtime/config.js';
import type { Log } from '#ops/runtime/log.js';
import type { Answer } from '../routing/response.js';
import type { UploadJob } from './store-document.js';

const IDLE_MS = 60_000;
const MAX_HEAP_MIB = 256;

export interface ThreadSettings {
  readonly databaseUrl: string;
  readonly secretsKeys: readonly NamedKey[];
}

/** `message`: the error that the job ended with; `answer` is absent when it was a bug. */
export interface JobResult {
  readonly answer?: Answer;
  readonly message?: string;
}

interface WaitingJob {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

export class UploadWorker {
  readonly #settings: ThreadSettings;
  readonly #log: Pick<Log, 'warn'>;
  readonly #jobs = new Map<number, WaitingJob>();
  #worker: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(settings: ThreadSettings, log: Pick<Log, 'warn'>) {
    this.#settings = settings;
    this.#log = log;
  }

  /** Takes the chunks away from the caller. Rejects when the job fails with a bug, or its thread ends. */
  run(job: UploadJob): Promise<Answer> {
    clearTimeout(this.#idleTimer);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const number = this.#count;
    this.#count += 1;
    return new Promise((resolve, reject) => {
      this.#jobs.set(number, { resolve, reject });
      worker.postMessage({ ...job, number }, [...job.chunks]);
    });
  }

  /** Resolves once the jobs under way are done. */
  async stop(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker === undefined) return;
    const isOver = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage(null);
    await isOver;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./upload-thread.js', import.meta.url), {
      workerData: this.#settings,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
    });
    worker.on('message', (result: JobResult & { readonly number: number }) => this.#settle(result));
    worker.on('error', (error) => {
      this.#log.warn({ err: error }, 'the thread that stores documents failed; it starts again');
    });
    worker.on('exit', () => this.#fail(worker));
    return worker;
  }

  #settle({ number, answer, message }: JobResult & { readonly number: number }): void {
    const job = this.#jobs.get(number);
    this.#jobs.delete(number);
    if (message !== undefined) this.#log.warn({ cause: message }, 'a document was not stored');
    if (answer !== undefined) job?.resolve(answer);
    else job?.reject(new Error('the document could not be stored'));
    if (this.#jobs.size > 0) return;
    this.#idleTimer = setTimeout(() => void this.stop(), IDLE_MS);
    this.#idleTimer.unref();
  }

  /** The jobs of a thread that ended are answered; those of the next one go on. */
  #fail(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const job of this.#jobs.values()) job.reject(new Error('the thread for uploads ended'));
    this.#jobs.clear();
  }
}
