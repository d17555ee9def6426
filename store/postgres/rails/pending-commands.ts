// Pending commands: they follow from what a rail answered, and stay in rail_facts until the payment's snapshot shows their
// effect. The statement that stores the answer stores them too, so no answer of a rail is lost.
import type { Postgres } from '../client.js';

export interface PendingCommand {
  readonly id: string;
  readonly command: string;
  /** The payment's current snapshot. */
  readonly snapshot: string;
}

/** Loads up to `limit` commands older than `ageMs` with ids after `after`, in the order of their ids. */
export async function loadPendingCommands(
  sql: Postgres,
  after: string,
  limit: number,
  ageMs: number,
): Promise<PendingCommand[]> {
  return sql<PendingCommand[]>`
    select f.id, f.command, p.snapshot
      from rail_facts f join payments p on p.id = f.payment_id
     where f.id > ${after} and f.stored_at < now() - ${ageMs}::float8 * interval '1 millisecond'
     order by f.id limit ${limit}`;
}

export async function deletePendingCommands(sql: Postgres, ids: readonly string[]): Promise<void> {
  await sql`delete from rail_facts where id = any(${ids}::text[])`;
}

/** Counts the commands older than `ageMs`, which should have taken effect by now. */
export async function countPendingCommands(sql: Postgres, ageMs: number): Promise<number> {
  const [row] = await sql<{ commands: number }[]>`
    select count(*)::integer as commands from rail_facts
     where stored_at < now() - ${ageMs}::float8 * interval '1 millisecond'`;
  return row?.commands ?? 0;
}
