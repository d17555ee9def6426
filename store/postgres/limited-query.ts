// The deadline of each statement, and the sign by which a connection counts as lost. Queries of the driver are watched as they
// are: the driver's functions and V8 decide the form of this file.
import postgres from 'postgres';
import {
  type CheckedServer,
  explainCertificateFault,
} from '#ops/runtime/addresses/certificates.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { DeadlineError, startDeadline } from '#ops/runtime/deadline.js';

/** Only a statement that waits for a lock which is not released takes longer. */
export const STATEMENT_TIMEOUT_MS = 4_000;
/**
 * The server answers every statement sooner, so a connection that is silent for that long is lost without a sign. So counts
 * a statement that waits for a session of PgBouncer for that long (docs/operations/postgres.md).
 */
const SILENT_MS = STATEMENT_TIMEOUT_MS + 500;
/** The session belongs to a server that is a standby now, or was one when the session began. */
const READ_ONLY = '25006';

/** The parameter of a greeting by which a server says whether it is a standby. */
export const IN_HOT_STANDBY = 'in_hot_standby';
const DESTROYED = 'CONNECTION_DESTROYED';

type Query = Promise<unknown>;

export interface ReachedServer extends CheckedServer {
  /** The last connection led to a standby. */
  isStandby?: boolean;
}

/** A query as the driver knows it. */
interface SentQuery extends Query {
  /** Set when the statement is the next that its connection has to answer, and cleared at the answer. */
  active: boolean;
  args: readonly unknown[];
  parameters: readonly unknown[];
  resolve: (rows: unknown) => void;
  reject: (error: Error) => void;
  readonly execute: () => void;
  /** It was sent, and may be answered already. */
  readonly executed: boolean;
  /** Takes the query when it is sent. */
  handler: (query: WatchedQuery) => void;
  readonly cursorFn?: unknown;
  readonly streaming?: boolean;
  readonly cancelled: unknown;
  /** null: no connection has taken it. */
  readonly state: unknown;
}

export const ADDRESS = Symbol('address');
export const ON_LOST = Symbol('on lost');
/** Of a query of an address with several hosts: sends it again, if it may. */
export const ON_UNSENT = Symbol('on unsent');
const IS_ACTIVE = Symbol('is active');
const STOP = Symbol('stop');
/** Of a query that was sent through a queue. */
export const ON_SETTLED = Symbol('on settled');
export const IS_LATE = Symbol('is late');
export interface WatchedQuery extends SentQuery {
  [ADDRESS]?: ReachedServer;
  [ON_LOST]?: () => void;
  [ON_UNSENT]?: () => boolean;
  [IS_ACTIVE]?: boolean;
  [STOP]?: (() => void) | undefined;
  [IS_LATE]?: boolean;
  [ON_SETTLED]?: ((error?: Error) => void) | undefined;
}

/** A list of values is not a promise. */
export const isQuery = (value: unknown): value is WatchedQuery => value instanceof Promise;

const ACTIVE: PropertyDescriptor & ThisType<WatchedQuery> = {
  get() {
    return this[IS_ACTIVE];
  },
  set(isActive: boolean) {
    this[IS_ACTIVE] = isActive;
    this[STOP]?.();
    const onLost = this[ON_LOST];
    this[STOP] = isActive && onLost !== undefined ? startDeadline(SILENT_MS, onLost) : undefined;
  },
};

/**
 * Gives the driver's class of queries a member `active` that starts and stops the deadline of a silent connection. A member of
 * each query would turn the query into a slow dictionary, since the driver has already assigned `active`.
 */
export function watchActive(sql: postgres.Sql): void {
  const prototype = Object.getPrototypeOf(sql``) as object;
  if (!Object.hasOwn(prototype, 'active')) Object.defineProperty(prototype, 'active', ACTIVE);
}

/** Of a query that is settled: it holds neither its parameters nor its answer any more. */
const NONE: readonly unknown[] = [];
const IGNORE = (): void => {};
const READ_ONCE = Promise.reject(new Error('the answer of a query can be read once'));
READ_ONCE.catch(IGNORE);

/**
 * Gives a query its deadline, which begins when its `then` is called, since that sends the query. A fragment of another
 * query is never awaited.
 *
 * The answer goes to another promise, and a settled query lets go of it: the driver assigns function literals to properties of
 * each query (`this.resolve = x => …`), and V8 makes such functions in its old generation unless it inlines the
 * constructor. There they keep the query, and all that it holds, until the next full collection.
 */
export function limitQuery(query: WatchedQuery, deadlineMs: number): Query {
  let answer: Promise<unknown> | undefined;
  const forget = (): void => {
    answer = READ_ONCE;
  };
  const then: typeof query.then = (onFulfilled, onRejected) => {
    answer ??= sendWithin(query, deadlineMs, forget);
    return answer.then(onFulfilled, onRejected);
  };
  query.then = then;
  return query;
}

/** `forget` is called when the query or its deadline has settled the promise. */
function sendWithin(query: WatchedQuery, deadlineMs: number, forget: () => void): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stop = SYSTEM_CLOCK.startTimer(deadlineMs, () => {
      query[IS_LATE] = true;
      forget();
      reject(new DeadlineError(deadlineMs));
    });
    const settle = (): void => {
      stop();
      forget();
      query.active = false;
      query.args = query.parameters = NONE;
      query.resolve = query.reject = IGNORE;
    };
    const succeed = (rows: unknown): void => {
      query[ON_SETTLED]?.();
      settle();
      resolve(rows);
    };
    const fail = (error: Error): void => {
      if (query.state === null && query[IS_LATE] !== true && query[ON_UNSENT]?.() === true) return;
      query[ON_SETTLED]?.(error);
      settle();
      if (error instanceof postgres.PostgresError && error.code === READ_ONLY) query[ON_LOST]?.();
      if (query[ADDRESS] !== undefined) explainFault(error, query[ADDRESS]);
      reject(error);
    };
    if (query.executed) {
      delete query[ON_UNSENT];
      // Its answer may have come already, and then nothing calls functions that are set now.
      void Promise.prototype.then.call(query, succeed, fail);
      return;
    }
    query.resolve = succeed;
    query.reject = fail;
    query.execute();
  });
}

/** Names the server, and what is wrong with it, in the message of an error that the driver explains to nobody. */
export function explainFault(error: unknown, reached: ReachedServer): void {
  explainCertificateFault(error, reached);
  if (!(error instanceof Error && 'code' in error) || error.code !== DESTROYED) return;
  const { isStandby = false, server, urlVariable } = reached;
  if (!isStandby || error.message.startsWith(server)) return;
  error.message = `${server} is a standby (${error.message}): ${urlVariable} must lead to the primary`;
}
