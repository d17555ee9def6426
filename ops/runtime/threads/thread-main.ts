// Runs in a background thread (background-thread.ts): loads the module with the work at the first job, and does the jobs.
import { workerData } from 'node:worker_threads';

/** Is `workerData` in the thread. */
export interface ThreadData {
  /** The URL of the module with the work. */
  readonly module: string;
  /** The function of the module that returns the work. */
  readonly name: string;
  /** The argument of that function. */
  readonly data: unknown;
}

/** An error of the job is a result, and everything else that ends a job is a crash of the thread. */
export type JobResult<Result> = { readonly result: Result } | { readonly error: unknown };

type Work = (job: unknown) => unknown;

const { module, name, data } = workerData as ThreadData;

let work: Work | undefined;

export async function runJob(job: unknown): Promise<JobResult<unknown>> {
  try {
    work ??= await openWork();
    return { result: await work(job) };
  } catch (error) {
    return { error };
  }
}

async function openWork(): Promise<Work> {
  const exported = (await import(module)) as Record<string, (data: unknown) => Work>;
  const open = exported[name];
  if (open === undefined) throw new Error(`${module} exports no function ${name}`);
  return open(data);
}
