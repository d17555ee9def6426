import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { Postgres } from '#store/postgres/client.js';

/** Sessions of this database that wait for a lock. Other files use the cluster too. Not inside a transaction: it sees them once. */
export async function countLockWaits(sql: Postgres): Promise<number> {
  const waiting = await sql`
    select 1 from pg_stat_activity
     where wait_event_type = 'Lock' and datname = current_database()`;
  return waiting.length;
}

/** Does `work` in a transaction that stays open until the request waits for it. Returns the answer of the request. */
export async function sendDuring<Answer>(
  sql: Postgres,
  work: (transaction: Postgres) => Promise<unknown>,
  request: () => Promise<Answer>,
): Promise<Answer> {
  // In an object: the end of the transaction does not wait for the answer.
  const sent = await sql.begin(async (begun) => {
    const transaction = begun as unknown as Postgres;
    await work(transaction);
    const [own] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const answer = request();
    await waitUntil('the request waits for the transaction', () => isWaitedFor(sql, own?.pid ?? 0));
    return { answer };
  });
  return sent.answer;
}

/** Whether a session of Postgres waits for the given one. */
async function isWaitedFor(sql: Postgres, pid: number): Promise<boolean> {
  const rows = await sql`
    select 1 from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`;
  return rows.length > 0;
}
