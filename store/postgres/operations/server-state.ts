// The state of the server and the work that waits, as `kasir doctor` asks for them. Every role may read the server's part.
import type { Postgres } from '../client.js';

export interface ServerState {
  /** 180000: Postgres 18. */
  readonly versionNumber: number;
  readonly version: string;
  readonly isStandby: boolean;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly synchronousCommit: string;
  readonly connections: number;
  readonly maxConnections: number;
}

export async function readServerState(sql: Postgres): Promise<ServerState> {
  const rows = await sql<ServerState[]>`
    select current_setting('server_version_num')::integer as "versionNumber",
           current_setting('server_version') as version, pg_is_in_recovery() as "isStandby",
           current_setting('fsync') as fsync, current_setting('full_page_writes') as "fullPageWrites",
           current_setting('synchronous_commit') as "synchronousCommit",
           (select sum(numbackends)::integer from pg_stat_database) as connections,
           current_setting('max_connections')::integer
             - current_setting('superuser_reserved_connections')::integer as "maxConnections"`;
  const [state] = rows;
  if (state === undefined) throw new Error('Postgres did not tell its state');
  return state;
}

/** The server's clock in Unix milliseconds. */
export async function readClock(sql: Postgres): Promise<number> {
  const rows = await sql<{ ms: number }[]>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as ms`;
  return rows[0]?.ms ?? 0;
}

export interface WaitingCommands {
  readonly quarantined: number;
  /** Of these, since yesterday. */
  readonly quarantinedToday: number;
  readonly deferred: number;
  /** The age of the oldest deferred command; 0: there is none. */
  readonly deferredMs: number;
}

export async function countWaitingCommands(sql: Postgres): Promise<WaitingCommands> {
  const rows = await sql<WaitingCommands[]>`
    select (select count(*)::integer from quarantined_commands) as quarantined,
           (select count(*)::integer from quarantined_commands
             where quarantined_at > now() - interval '1 day') as "quarantinedToday",
           count(*)::integer as deferred,
           coalesce(extract(epoch from now() - min(deferred_at)), 0)::float8 * 1000 as "deferredMs"
      from deferred_commands`;
  return rows[0] ?? { quarantined: 0, quarantinedToday: 0, deferred: 0, deferredMs: 0 };
}

/** Mails that the SMTP server did not take: they wait for the next try, or are given up. */
export async function countFailedMails(sql: Postgres): Promise<number> {
  const rows = await sql<{ count: number }[]>`
    select count(*)::integer as count from mails where sent_at is null and error is not null`;
  return rows[0]?.count ?? 0;
}
