// Commands that follow from what rails said, kept until a snapshot shows that they took effect.
import type { Postgres } from '../client.js';

export interface RailFact {
  readonly id: string;
  readonly command: string;
  /** The payment as it stands. */
  readonly snapshot: string;
}

/** Up to `limit` facts behind the id `after` that are older than `ageMs`, in the order of their ids. */
export async function loadFacts(
  sql: Postgres,
  after: string,
  limit: number,
  ageMs: number,
): Promise<RailFact[]> {
  return sql<RailFact[]>`
    select f.id, f.command, p.snapshot
      from rail_facts f join payments p on p.id = f.payment_id
     where f.id > ${after} and f.stored_at < now() - ${ageMs}::float8 * interval '1 millisecond'
     order by f.id limit ${limit}`;
}

export async function deleteFacts(sql: Postgres, ids: readonly string[]): Promise<void> {
  await sql`delete from rail_facts where id = any(${ids}::text[])`;
}

/** How many are older than `ageMs`: their commands should have taken effect. */
export async function countFacts(sql: Postgres, ageMs: number): Promise<number> {
  const [row] = await sql<{ facts: number }[]>`
    select count(*)::integer as facts from rail_facts
     where stored_at < now() - ${ageMs}::float8 * interval '1 millisecond'`;
  return row?.facts ?? 0;
}
