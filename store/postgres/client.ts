// The one way to open Postgres. A pool is opened per purpose (commits, reads, leases), so that a slow
// read never waits in front of a commit or a heartbeat.
import postgres from 'postgres';
import { runWithDeadline } from '#ops/runtime/deadline.js';

export type Postgres = postgres.Sql;

/** Arrays as parameters, of the types that we use. In answers they come as `to_json(…)`. */
const ARRAYS = {
  texts: buildArrayType(1009, (item: string) => `"${item.replace(/[\\"]/g, '\\$&')}"`),
  smallints: buildArrayType(1005, (item: number) => String(item)),
};

const CONNECT_TIMEOUT_S = 3;
const CLOSE_TIMEOUT_S = 5;
/** No statement of ours takes longer, unless it waits for a lock that its holder will not give back. */
const STATEMENT_TIMEOUT_MS = 4_000;
const DEADLINE_MS = 5_000;

/**
 * For pools whose statements find every row by its key. A plan is kept until its tables are analyzed, and one that was
 * made while they were small reads them whole for as long: a commit took 6 ms instead of 0.6 once there were 10,000
 * payments. So these may only look rows up. Joins of whole tables belong into other pools.
 */
export const BY_KEY = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
} as const;

export interface PoolOptions {
  /**
   * Milliseconds until a statement rejects with DeadlineError, the wait for a free connection included; null: never.
   * The server's own limit comes first: only a connection that answers nothing takes longer.
   */
  readonly deadlineMs?: number | null;
  /** BY_KEY, or the planner's own choice. */
  readonly plans?: typeof BY_KEY;
}

/**
 * Opens a pool of at most `max` connections. The first query connects.
 *
 * A lost connection replaces the whole pool: statements under way reject, and later ones never meet its remains.
 * postgres.js 3.4.9 keeps them in a connection that it makes again: a query that is sent between a connection's error
 * and its close never settles (71 of 2,850 under terminated backends), and one that is written in the tick of the close
 * keeps the connection from ever sending its greeting (CONNECT_TIMEOUT, again and again).
 */
export function openPostgres(
  url: string,
  purpose: string,
  max: number,
  { deadlineMs = DEADLINE_MS, plans }: PoolOptions = {},
): Postgres {
  let hasEnded = false;
  const open = (): Postgres => {
    const opened: Postgres = postgres(url, {
      ...buildConnectionSettings(purpose, max, plans),
      onclose: () => {
        if (opened === current && !hasEnded) current = open();
        void opened.end({ timeout: 0 }).catch(() => {});
      },
    });
    return opened;
  };
  let current = open();
  return new Proxy(current, {
    apply: (_target, _this, args: unknown[]) =>
      limitQuery(Reflect.apply(current, undefined, args) as unknown, deadlineMs),
    get: (_target, name) => {
      if (name === 'end') hasEnded = true;
      return Reflect.get(current, name) as unknown;
    },
  });
}

/**
 * Gives a query its deadline. A query is sent when its `then` is called, so the time begins there; a fragment of
 * another query is never awaited, and no promise at all when it is a list of values.
 */
function limitQuery(query: unknown, deadlineMs: number | null): unknown {
  if (deadlineMs === null || !(query instanceof Promise)) return query;
  const send = query.then.bind(query);
  let limited: Promise<unknown> | undefined;
  const then: typeof query.then = (onFulfilled, onRejected) => {
    limited ??= runWithDeadline({ then: send }, deadlineMs);
    return limited.then(onFulfilled, onRejected);
  };
  return Object.assign(query, { then });
}

/** Options of every connection that the service opens. */
export function buildConnectionSettings(purpose: string, max: number, plans?: typeof BY_KEY) {
  return {
    max,
    connect_timeout: CONNECT_TIMEOUT_S,
    // A connection that is closed for its age would take the others with it.
    max_lifetime: null,
    connection: {
      application_name: `kasir ${purpose}`,
      // Left to itself Postgres plans a commit anew each time, since its arrays look cheaper when
      // known: 380 µs of CPU for a commit of one payment, against 290 with one plan for all.
      plan_cache_mode: 'force_generic_plan' as const,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      ...plans,
    },
    onnotice: () => {},
    // Asking for the types at each new connection is a query that nobody awaits: a backend that dies
    // during it would end the process (69 times in 6 s of terminated backends; without it never).
    fetch_types: false,
    types: ARRAYS,
  };
}

/** Ends a pool. Statements under way get a moment; a server that is away must not keep a process alive. */
export async function closePostgres(sql: Postgres): Promise<void> {
  await sql.end({ timeout: CLOSE_TIMEOUT_S });
}

function buildArrayType<Item>(oid: number, quote: (item: Item) => string) {
  return {
    to: oid,
    from: [],
    serialize: (items: readonly (Item | null)[]) =>
      `{${items.map((item) => (item === null ? 'NULL' : quote(item))).join(',')}}`,
    parse: (text: string) => text,
  };
}
