// Payments that are due: they expire, or their hold or sandbox step ends, by the database's clock. Environments, and the
// merchants of each, take turns.
//
//   DUE ──the command is sent──▶ UNDER WAY ──commit──▶ no longer due, or due at another time
//                                    └──the commit has changed nothing──▶ POSTPONED ──its time──▶ DUE
//
// One leading rails process sends the commands and keeps in memory which are under way, so a payment that expires is written
// once, by its commit. Only a payment whose command has no effect (it is quarantined, or was lost) is written here: its
// `due_at` moves on, so that it leaves its place to the others.
import type { PaymentId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import { joinColumn } from '../join-column.js';
import { Turns } from '../turns.js';

export interface DuePayment {
  readonly id: PaymentId;
  readonly version: number;
  readonly snapshot: string;
}

export interface PostponedPayment extends Pick<DuePayment, 'id' | 'version'> {
  readonly inMs: number;
}

export function createDueTurns(): Turns {
  return new Turns((sql) => ({
    table: sql`payments`,
    waiting: sql`due_at is not null`,
    key: sql`(environment || ' ' || merchant_id)`,
    dueAt: sql`due_at`,
  }));
}

/** Loads up to `limit` due payments in the order of turns, without those whose commands are `underWay`. */
export async function loadDue(
  sql: Postgres,
  turns: Turns,
  limit: number,
  underWay: readonly string[],
): Promise<DuePayment[]> {
  const keys = await turns.listKeys(sql);
  if (keys.length === 0) return [];
  const isFree = sql`id <> all(split(${joinColumn(underWay, (id) => id)}))`;
  return sql<DuePayment[]>`
    select p.id, p.version, p.snapshot
      from (${turns.select(sql, keys, limit, isFree)}) t join payments p using (id)
     order by t.rank, t.due`;
}

/**
 * Lets other payments go first. A payment that has changed, or that is not due any more, keeps its time; one whose row a
 * commit holds is left for the next round. `coalesce` hides the condition of the index of due payments, so that each row
 * is found by its key.
 */
export async function postponeDue(
  sql: Postgres,
  postponed: readonly PostponedPayment[],
): Promise<void> {
  await sql`
    with held as materialized (
      select p.id, n.in_ms
        from unnest(split(${joinColumn(postponed, ({ id }) => id)}),
                    split(${joinColumn(postponed, ({ version }) => version)})::integer[],
                    split(${joinColumn(postponed, ({ inMs }) => Math.round(inMs))})::bigint[])
             as n (id, version, in_ms)
       cross join lateral (
         select id from payments
          where id = n.id and version = n.version and coalesce(due_at <= now(), false)
            for update skip locked) p)
    update payments p set due_at = now() + h.in_ms * interval '1 ms'
      from held h where p.id = h.id`;
}
