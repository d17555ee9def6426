// The one way to open Postgres. A pool is opened per purpose (commits, reads, leases), so that a slow
// read never waits in front of a commit or a heartbeat.
import postgres from 'postgres';
import {
  listPostgresAddresses,
  type PostgresAddress,
} from '#ops/runtime/addresses/postgres-address.js';
import { createBegin, createResend, CurrentPool, explainFaults } from './current-pool.js';
import {
  ADDRESS,
  IN_HOT_STANDBY,
  isQuery,
  limitQuery,
  ON_LOST,
  ON_UNSENT,
  type ReachedServer,
  STATEMENT_TIMEOUT_MS,
  watchActive,
} from './limited-query.js';
import { PoolQueue } from './pool-queue.js';
import { buildQueued, type Send } from './queued-pool.js';

export type Postgres = postgres.Sql;

/** The types of arrays as parameters. In results, arrays are selected with `to_json(…)`. */
const ARRAYS = {
  texts: buildArrayType(1009, (item: string) => `"${item.replace(/[\\"]/g, '\\$&')}"`),
  smallints: buildArrayType(1005, (item: number) => String(item)),
};

const CONNECT_TIMEOUT_S = 3;
const CLOSE_TIMEOUT_S = 5;
/** The settings with which a session begins. Behind PgBouncer the role must have them. */
export const SESSION = {
  // By default Postgres plans each commit again, since known arrays look cheaper: 380 µs of CPU for
  // a commit of one payment, and 290 µs with one plan for all.
  plan_cache_mode: 'force_generic_plan',
  statement_timeout: STATEMENT_TIMEOUT_MS,
} as const;
const DEADLINE_MS = 5_000;
/**
 * For pools whose statements find every row by its key. A plan is kept until its tables are analyzed, and a plan made
 * for small tables reads them whole: a commit took 6 ms instead of 0.6 at 10,000 payments. Statements that join whole
 * tables belong in other pools.
 */
export const BY_KEY = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
} as const;

export interface PoolOptions {
  /**
   * Milliseconds until a statement rejects with DeadlineError, including the wait for a free connection; null: never.
   * The server's own limit (4 s) comes first: only a connection that does not answer takes longer.
   */
  readonly deadlineMs?: number | null;
  /** Without it, the planner chooses. */
  readonly plans?: typeof BY_KEY;
  /** The actor in the audit log of statements that name none; by default the database's user. */
  readonly actor?: string;
  /** Otherwise a connection that leads to a standby is lost. */
  readonly isStandbyAllowed?: boolean;
}

/**
 * Opens a pool of at most `max` connections. The first query connects. `?pooling=transaction` in the address: it leads to
 * PgBouncer, which gives each transaction another session. Statements are then not prepared, the role must set what
 * sessions begin with elsewhere (`checkInstallation`), and no statement is sent behind another (`PoolQueue`).
 *
 * A lost connection replaces the whole pool: statements under way reject, and later ones use new connections. A connection is
 * also lost when the network swallows it: no statement on it is answered, and nothing closes it for a quarter of an hour.
 * So is one whose session may not write: after a failover, a new connection reaches the server that may. A new connection that
 * leads to a standby is lost before its first statement, which would read what was true some time ago, and for ever if nothing on
 * the pool writes: the server says what it is in its greeting, so asking costs nothing. (Through PgBouncer the greeting may be
 * an older one, and only 25006 tells.) The driver skips this check once on a connection whose statement 57P01 has ended, and
 * a replaced pool has none of those.
 * postgres.js 3.4.9 reuses parts of a lost connection: a query that is sent between its error and its close never
 * settles (71 of 2,850 under terminated backends), and a query that is written in the tick of the close blocks the
 * greeting of the next connection (CONNECT_TIMEOUT, again and again).
 */
export function openPostgres(
  url: string,
  purpose: string,
  max: number,
  { deadlineMs = DEADLINE_MS, ...settings }: PoolOptions = {},
): Postgres {
  const hosts = listPostgresAddresses(url);
  const open = (address: PostgresAddress & ReachedServer, onClose: () => void): Postgres =>
    postgres(address.url, {
      ...buildConnectionSettings(purpose, max, { ...settings, ...address }),
      onparameter: (name, value) => {
        if (name === IN_HOT_STANDBY) address.isStandby = value === 'on';
      },
      onclose: onClose,
    });
  const held = new CurrentPool(hosts, open);
  watchActive(held.pool);
  const send: Send = (...args) => {
    let used = held.pool;
    const query = (used as unknown as Send)(...args);
    if (deadlineMs === null || !isQuery(query)) return query;
    // A variable: V8 makes a literal that is assigned to a property in its old generation (`limitQuery`).
    const onLost = (): void => {
      held.replace(used);
    };
    query[ON_LOST] = onLost;
    query[ADDRESS] = held.address;
    if (hosts.length > 1) {
      query[ON_UNSENT] = createResend(held, query, (pool) => {
        used = pool;
      });
    }
    return limitQuery(query, deadlineMs);
  };
  const getCurrent = (): Postgres => held.pool;
  const end = held.end.bind(held);
  if (!held.address.isPooled) return buildPool(send, { begin: createBegin(held), end }, getCurrent);
  const queue = new PoolQueue(max, held.pool);
  held.queue = queue;
  const replace = held.replace.bind(held);
  const queued = buildQueued({ queue, deadlineMs, replace, address: held.address }, getCurrent);
  const begin = explainFaults(queued.members.begin, () => held.address);
  return buildPool(queued.send, { ...queued.members, begin, end }, getCurrent);
}

/**
 * A function with the members of the current pool. Not a Proxy, through which V8 cannot inline the driver's functions: then all
 * queries stay until the next full collection (`limitQuery`). Under gets by id each collection of a gateway's young generation took
 * 6.3 ms with a Proxy, and takes 3.7.
 */
function buildPool(
  send: Send,
  own: Partial<Record<keyof Postgres, unknown>>,
  getCurrent: () => Postgres,
): Postgres {
  const members: PropertyDescriptorMap = {};
  for (const name of Object.keys(getCurrent())) {
    members[name] = { get: () => Reflect.get(getCurrent(), name) as unknown };
  }
  for (const [name, value] of Object.entries(own)) members[name] = { value };
  return Object.defineProperties(send, members) as Postgres;
}

/** The options of every connection. */
export function buildConnectionSettings(
  purpose: string,
  max: number,
  {
    plans,
    actor,
    isStandbyAllowed = false,
    isPooled,
    ssl,
  }: Omit<PoolOptions, 'deadlineMs'> & Pick<PostgresAddress, 'isPooled' | 'ssl'>,
) {
  return {
    max,
    ...(isStandbyAllowed || isPooled ? {} : { target_session_attrs: 'primary' as const }),
    // The driver takes a member that is undefined for "no TLS".
    ...(ssl === undefined ? {} : { ssl }),
    prepare: !isPooled,
    connect_timeout: CONNECT_TIMEOUT_S,
    // The close of one connection replaces the whole pool.
    max_lifetime: null,
    connection: {
      application_name: `kasir ${purpose}`,
      ...(isPooled ? {} : { ...SESSION, ...plans }),
      ...(actor === undefined ? {} : { 'kasir.actor': actor }),
    },
    onnotice: () => {},
    // Fetching types is a query of each new connection that is not awaited: a backend that dies during
    // it ends the process (69 times in 6 s of terminated backends, and never without it).
    fetch_types: false,
    types: ARRAYS,
  };
}

/** Statements under way get 5 s, so that a server that is away does not keep the process alive. */
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
