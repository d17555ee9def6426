// The work of the thread that stores documents (ops/runtime/threads/background-thread.ts), on a Postgres connection of its own.
import type { NamedKey } from '#ops/runtime/config.js';
import { openPostgres } from '#store/postgres/client.js';
import type { Answer } from '#gateway/routing/response.js';
import { mapStoreFailure } from '#gateway/routing/store-failures.js';
import { storeDocument, type UploadJob } from './store-document.js';

export interface UploadStores {
  readonly databaseUrl: string;
  readonly secretsKeys: readonly NamedKey[];
}

export interface UploadResult {
  readonly answer: Answer;
  /** Present when the store failed. */
  readonly cause?: string;
}

/** The class of an error is lost between threads, so that a failure of the store becomes its answer here. */
export function openUploadStore(stores: UploadStores): (job: UploadJob) => Promise<UploadResult> {
  const sql = openPostgres(stores.databaseUrl, 'gateway uploads', 1);
  const deps = { sql, secretsKeys: stores.secretsKeys.map(restoreKey) };
  return async (job) => {
    try {
      return { answer: await storeDocument(deps, job) };
    } catch (error) {
      const answer = mapStoreFailure(error);
      if (answer === undefined) throw error;
      return { answer, cause: String(error) };
    }
  };
}

/** A Buffer arrives as a plain array of bytes. */
function restoreKey({ name, key }: NamedKey): NamedKey {
  return { name, key: Buffer.from(key) };
}
