// A table that a migration changes is locked against all others, and every later statement on it waits behind a migration that
// waits. Behind a dump of an hour, all payments would wait for an hour. So a migration gives up a lock that it does not get
// soon, lets the others go on, and begins again.
import { setTimeout } from 'node:timers/promises';
import { StartError } from '#ops/runtime/config.js';
import { hasCode } from '../classify-failure.js';
import type { Postgres } from '../client.js';
import type { TellProgress } from '../progress.js';

/** Longer than `deadlock_timeout` (1 s), after which Postgres ends an autovacuum that holds the lock. */
const LOCK_TIMEOUT_MS = 1_500;
const WATCH_MS = 500;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';

export interface Attempts {
  readonly count: number;
  readonly pauseMs: number;
}

/** Six and a half minutes. */
export const ATTEMPTS: Attempts = { count: 60, pauseMs: 5_000 };

/**
 * Repeats `apply`, a transaction that begins with `limitLockWaits`, while others hold its locks.
 * @throws StartError that names the holders, after the last attempt; nothing was changed
 */
export async function retryLocked<Result>(
  apply: (blockers: Blockers) => Promise<Result>,
  tell: TellProgress,
  { count, pauseMs }: Attempts,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const blockers = new Blockers();
    try {
      return await apply(blockers).finally(() => {
        blockers.stop();
      });
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (attempt === count) throw new StartError(describeLocked(blockers));
      tell({ step: `waiting for the end of ${blockers.describe()}`, done: attempt, total: count });
      await setTimeout(pauseMs);
    }
  }
}

/** The holders of the locks for which a transaction waits, asked on a second connection. */
export class Blockers {
  #latest: readonly Blocker[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** From now on the transaction `tx` waits for no lock longer than `LOCK_TIMEOUT_MS`. `sql` needs a free connection. */
  async limitLockWaits(tx: Postgres, sql: Postgres): Promise<void> {
    await tx`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`;
    const [session] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
    this.#timer = setInterval(() => void this.#ask(sql, session?.pid ?? 0), WATCH_MS);
  }

  async #ask(sql: Postgres, pid: number): Promise<void> {
    try {
      const found = await sql<Blocker[]>`
        select pid, application_name as name from pg_stat_activity where pid = any(pg_blocking_pids(${pid}))`;
      if (found.length > 0) this.#latest = found;
    } catch {
      // The names only help; the migration itself reports a lost server.
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  describe(): string {
    const names = this.#latest.map(({ pid, name }) => `${name} (process ${pid} of Postgres)`);
    return names.length === 0 ? 'another transaction' : names.join(', ');
  }
}

interface Blocker {
  readonly pid: number;
  /** `application_name`: pg_dump, psql, a process of Kasir with the purpose of its pool. */
  readonly name: string;
}

function describeLocked(blockers: Blockers): string {
  return (
    `A table that the migration changes is locked by ${blockers.describe()}. Nothing was changed. ` +
    'Wait until that transaction ends, or end it with `select pg_terminate_backend(<process>)`; ' +
    'then run `npx kasir migrate` again.'
  );
}

const isLocked = (error: unknown): boolean =>
  hasCode(error, LOCK_NOT_AVAILABLE) || hasCode(error, DEADLOCK_DETECTED);
