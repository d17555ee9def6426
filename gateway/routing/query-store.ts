// Reads of the key API that are not by payment id: lists and look-ups. They have connections of their own,
// so that a list that takes long never waits in front of a get or a credential.
import { runWithDeadline } from '#ops/runtime/deadline.js';
import type { Postgres } from '#store/postgres/client.js';

/** Beyond the database's own bound on a statement. */
const ANSWER_MS = 6_000;

export interface StoreDeps {
  readonly lists: Postgres;
  /** Hears what went wrong with the database, for the log. */
  readonly onError: (error: unknown) => void;
}

/** undefined: the database could not be asked. */
export async function queryStore<Value extends object>(
  { lists, onError }: StoreDeps,
  ask: (sql: Postgres) => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await runWithDeadline(ask(lists), ANSWER_MS);
  } catch (error) {
    onError(error);
    return undefined;
  }
}
