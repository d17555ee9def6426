// Long reads that a standby may answer: files, statements, `kasir ledger verify`. They see all that was committed before they were
// asked for, because the standby must have replayed the log up to the place where the primary was. In all other cases, and when
// the standby fails, the primary is read.
import { setTimeout as sleep } from 'node:timers/promises';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import { closePostgres, openPostgres, type Postgres } from './client.js';

/** A standby beside its primary is some milliseconds behind. */
const WAIT_MS = 1_000;
const POLL_MS = 20;
/** Nor is a standby asked again so soon that was not there, or behind: every page of a file would wait for it. */
const PAUSE_MS = 10_000;

/** How far the log of the primary was written. */
export interface LogPosition {
  /** As Postgres writes it: `0/16B3748`. */
  readonly lsn: string;
  readonly timeline: number;
}

export interface ChosenServer {
  readonly sql: Postgres;
  /** Of the begin of the request, for its next parts. null: none of its parts came from a standby yet. */
  readonly since: LogPosition | null;
}

export class StandbyReads {
  readonly #primary: Postgres;
  readonly #standby: Postgres | null;
  #pausedUntilMs = 0;

  /** `standby`: opened by `openStandby`; null: the primary is always read. */
  constructor(primary: Postgres, standby: Postgres | null) {
    this.#primary = primary;
    this.#standby = standby;
  }

  /** The server for the next part of a request. `since`: what `choose` returned for the part before, if there was one. */
  async choose(since: LogPosition | null = null): Promise<ChosenServer> {
    const standby = this.#standby;
    if (standby === null || performance.now() < this.#pausedUntilMs) {
      return { sql: this.#primary, since };
    }
    const position = since ?? (await readPosition(this.#primary));
    if (position !== null && (await reaches(standby, position))) {
      return { sql: standby, since: position };
    }
    this.#pausedUntilMs = performance.now() + PAUSE_MS;
    return { sql: this.#primary, since: position };
  }

  /** Closes both. */
  async close(): Promise<void> {
    const pools = this.#standby === null ? [this.#primary] : [this.#primary, this.#standby];
    await Promise.all(pools.map(closePostgres));
  }
}

/** `url`: DATABASE_URL_REPLICA; null: there is none. */
export const openStandby = (url: string | null, purpose: string): Postgres | null =>
  url === null ? null : openPostgres(url, purpose, 1, { isStandbyAllowed: true });

/** null: this role may not ask for the timeline, so a standby that followed another primary would not be noticed. */
async function readPosition(primary: Postgres): Promise<LogPosition | null> {
  const rows = await primary<{ lsn: string; timeline: number | null }[]>`
    select pg_current_wal_lsn()::text as lsn, read_timeline() as timeline`;
  const { lsn, timeline } = rows[0] ?? {};
  return lsn === undefined || typeof timeline !== 'number' ? null : { lsn, timeline };
}

async function reaches(standby: Postgres, position: LogPosition): Promise<boolean> {
  const endMs = performance.now() + WAIT_MS;
  const ask = async (): Promise<boolean> => {
    while (!(await hasReached(standby, position))) {
      if (performance.now() > endMs) return false;
      await sleep(POLL_MS);
    }
    return true;
  };
  // It may be away, or hang: its pool would wait longer.
  return runWithDeadline(ask(), 2 * WAIT_MS).catch(() => false);
}

/**
 * False at a server that is no standby, such as a former primary that nobody stopped. The timeline is that of its last restart
 * point: a standby that has not followed the last failover may be as far in a log that the primary does not have.
 */
async function hasReached(standby: Postgres, { lsn, timeline }: LogPosition): Promise<boolean> {
  const rows = await standby<{ hasReached: boolean | null }[]>`
    select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= ${lsn}::text::pg_lsn
           and (select timeline_id from pg_control_checkpoint()) = ${timeline} as "hasReached"`;
  return rows[0]?.hasReached === true;
}
