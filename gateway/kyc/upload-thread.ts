// The thread that stores documents, one after the other, on a Postgres connection of its own. Every message is a job and
// gets one message back; `null` ends the thread once its jobs are done.
import { parentPort, workerData } from 'node:worker_threads';
import type { NamedKey } from '#ops/runtime/config.js';
import { closePostgres, openPostgres } from '#store/postgres/client.js';
import { mapStoreFailure } from '../routing/store-failures.js';
import { storeDocument, type UploadJob } from './store-document.js';
import type { JobResult, ThreadSettings } from './upload-worker.js';

const { databaseUrl, secretsKeys } = workerData as ThreadSettings;
const sql = openPostgres(databaseUrl, 'gateway uploads', 1);
const deps = { sql, secretsKeys: secretsKeys.map(restoreKey) };
let turn: Promise<void> = Promise.resolve();

parentPort?.on('message', (job: (UploadJob & { readonly number: number }) | null) => {
  turn = turn.then(() => (job === null ? end() : work(job)));
});

async function work(job: UploadJob & { readonly number: number }): Promise<void> {
  parentPort?.postMessage({ number: job.number, ...(await attempt(job)) });
}

/** An error is sent as text, because its class is lost between threads. */
async function attempt(job: UploadJob): Promise<JobResult> {
  try {
    return { answer: await storeDocument(deps, job) };
  } catch (error) {
    const failure = mapStoreFailure(error);
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { message, ...(failure === undefined ? {} : { answer: failure }) };
  }
}

async function end(): Promise<void> {
  await closePostgres(sql);
  parentPort?.close();
}

/** A Buffer arrives as a plain array of bytes. */
function restoreKey({ name, key }: NamedKey): NamedKey {
  return { name, key: Buffer.from(key) };
}
