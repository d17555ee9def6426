// A pool that leads to PgBouncer sends its statements and transactions through a queue (pool-queue.ts).
import postgres from 'postgres';
import type { CheckedServer } from '#ops/runtime/addresses/certificates.js';
import {
  ADDRESS,
  IS_LATE,
  isQuery,
  limitQuery,
  ON_LOST,
  ON_SETTLED,
  type WatchedQuery,
} from './limited-query.js';
import type { PoolQueue, Work } from './pool-queue.js';

/** Time for the statements beside one whose connection cannot be used any more. */
const ANSWER_S = 5;

export type Send = (...args: unknown[]) => unknown;

export interface Queueing {
  readonly queue: PoolQueue<postgres.Sql>;
  readonly deadlineMs: number | null;
  /** Named in errors about its certificate. */
  readonly address: CheckedServer;
  /** Later statements go to another pool, and those that are under way in `lost` get `timeoutS`. */
  readonly replace: (lost: postgres.Sql, timeoutS?: number) => void;
}

/** They take a connection for themselves, past the queue. */
const REFUSED = ['reserve', 'listen', 'notify', 'subscribe', 'largeObject', 'file'] as const;

/** The members of a pool behind PgBouncer that differ: its statements and transactions go through the queue. */
export function buildQueued(queueing: Queueing, getCurrent: () => postgres.Sql) {
  const { queue, deadlineMs, address } = queueing;
  const enter = (query: WatchedQuery): void => {
    if (query.cursorFn === undefined && query.streaming !== true) {
      queue.enter(new QueuedStatement(query, queueing));
    } else {
      query.reject(new Error('Behind PgBouncer, use cursors and COPY inside sql.begin'));
    }
  };
  const send: Send = (...args) => {
    const query = (getCurrent() as unknown as Send)(...args);
    if (!isQuery(query)) return query;
    query.handler = enter;
    query[ADDRESS] = address;
    return deadlineMs === null ? query : limitQuery(query, deadlineMs);
  };
  const unsafe = (...args: Parameters<postgres.Sql['unsafe']>) => {
    const query = getCurrent().unsafe(...args) as unknown as WatchedQuery;
    query.handler = enter;
    return query;
  };
  const begin = async (...args: Parameters<postgres.Sql['begin']>): Promise<unknown> => {
    // The driver sends a statement a turn later too, so that the order stays.
    await Promise.resolve();
    return new Promise((resolve, reject) => {
      const start = (pool: postgres.Sql, onDone: () => void): void => {
        void pool
          .begin(...args)
          .finally(onDone)
          .then(resolve, reject);
      };
      queue.enter({ start, fail: reject, isLate: () => false });
    });
  };
  const refuse = (name: string) => (): never => {
    throw new Error(`sql.${name} needs a pool that leads past PgBouncer (DATABASE_URL_DIRECT)`);
  };
  const refused = Object.fromEntries(REFUSED.map((name) => [name, refuse(name)]));
  return { send, members: { ...refused, unsafe, begin } };
}

class QueuedStatement implements Work<postgres.Sql> {
  readonly #query: WatchedQuery;
  readonly #queueing: Queueing;

  constructor(query: WatchedQuery, queueing: Queueing) {
    this.#query = query;
    this.#queueing = queueing;
  }

  start(pool: postgres.Sql, onDone: () => void): void {
    const { deadlineMs, replace } = this.#queueing;
    const query = this.#query;
    const onSettled = (error?: Error): void => {
      query[ON_SETTLED] = undefined;
      // Without an answer of the server the connection is lost, and until it has closed the driver would use it for the next.
      if (error === undefined || isAnswer(error)) onDone();
      else replace(pool, ANSWER_S);
    };
    const onLost = (): void => {
      replace(pool);
    };
    query[ON_SETTLED] = onSettled;
    watchSettling(query);
    if (deadlineMs !== null) query[ON_LOST] = onLost;
    // The pool that made the query may be lost by now.
    (pool`` as unknown as WatchedQuery).handler(query);
  }

  fail(error: Error): void {
    this.#query.reject(error);
  }

  isLate(): boolean {
    return this.#query[IS_LATE] === true || this.#query.cancelled !== null;
  }
}

/** For a query without a deadline, and for one that is sent before it is awaited. */
function watchSettling(query: WatchedQuery): void {
  const { resolve, reject } = query;
  const succeed = (rows: unknown): void => {
    query[ON_SETTLED]?.();
    resolve(rows);
  };
  const fail = (error: Error): void => {
    query[ON_SETTLED]?.(error);
    reject(error);
  };
  query.resolve = succeed;
  query.reject = fail;
}

/** After a fatal error the server, or PgBouncer, closes the connection. */
const isAnswer = (error: Error): boolean =>
  error instanceof postgres.PostgresError && error.severity_local !== 'FATAL';
