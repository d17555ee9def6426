// The Postgres pools of a gateway: one per purpose, so that slow statements of one never delay another.
import type { Config } from '../ops/runtime/config.js';
import type { Lifecycle } from '../ops/runtime/lifecycle.js';
import { closePostgres, openPostgres, type Postgres } from '../store/postgres/client.js';
import { openStandby, StandbyReads } from '../store/postgres/standby-reads.js';
import { LIST_READS_AT_ONCE } from './lists/read-list.js';

/** A read by key takes a millisecond; one that takes so long is answered 503. */
const READ_DEADLINE_MS = 2_500;
const POLL_DEADLINE_MS = 2_000;

export interface Pools {
  /** Payments by id, credentials, business names. */
  readonly reads: Postgres;
  readonly sessions: Postgres;
  readonly lists: Postgres;
  /** Statements, which read page after page. Other files have a thread (file-thread.ts). */
  readonly files: StandbyReads;
  readonly accounts: Postgres;
  /** The public pages of payment links and invoices: a crowd there must not keep users from logging in. */
  readonly linksAndInvoices: Postgres;
  /** Health, kill switches, rail availability. Two connections, because one may be stuck in the network. */
  readonly polls: Postgres;
}

export function openPools(
  { databaseUrl: url, databaseUrlReplica }: Config,
  lifecycle: Lifecycle,
): Pools {
  const pools = {
    reads: openPostgres(url, 'gateway reads', 4, { deadlineMs: READ_DEADLINE_MS }),
    sessions: openPostgres(url, 'gateway sessions', 2, { deadlineMs: READ_DEADLINE_MS }),
    lists: openPostgres(url, 'gateway lists', LIST_READS_AT_ONCE),
    accounts: openPostgres(url, 'gateway accounts', 3),
    linksAndInvoices: openPostgres(url, 'gateway links and invoices', 3),
    polls: openPostgres(url, 'gateway polls', 2, { deadlineMs: POLL_DEADLINE_MS }),
  };
  lifecycle.onStop('Postgres', () => Promise.all(Object.values(pools).map(closePostgres)));
  const files = new StandbyReads(
    openPostgres(url, 'gateway statements', 1),
    openStandby(databaseUrlReplica, 'gateway statements'),
  );
  lifecycle.onStop('Postgres for statements', () => files.close());
  return { ...pools, files };
}
