// Payments that are due: they expire, or their hold or sandbox step ends, by the database's clock. Environments, and the
// merchants of each, take turns.
//
//   DUE ──claim──▶ SENT ──commit──▶ no longer due, or due at another time
//                   └──no commit within the wait──▶ DUE
//
// A claim moves `due_at` on, so one of several rails processes sends the command, and a payment whose command has no effect
// (it is quarantined, or was lost) leaves its place to the others.
import type { PaymentId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import { joinColumn } from '../join-column.js';
import { Turns } from '../turns.js';

/** A command that Redis lost is sent again after this time, then with doubled waits. */
const FIRST_WAIT = '3 seconds';
/** A command that is quarantined leaves its payment due for long. */
const MAX_WAIT = '1 hour';
const MAX_DOUBLINGS = 11;
/** Of a payment whose partition takes no commands. */
const DEFERRED_FOR = '10 seconds';

export interface DuePayment {
  readonly id: PaymentId;
  readonly snapshot: string;
}

export function createDueTurns(): Turns {
  return new Turns((sql) => ({
    table: sql`payments`,
    waiting: sql`due_at is not null`,
    owner: sql`(environment || ' ' || merchant_id)`,
    dueAt: sql`due_at`,
  }));
}

/** Loads up to `limit` due payments in the order of turns. */
export async function loadDue(sql: Postgres, turns: Turns, limit: number): Promise<DuePayment[]> {
  const owners = await turns.listOwners(sql);
  if (owners.length === 0) return [];
  return sql<DuePayment[]>`
    select p.id, p.snapshot from (${turns.select(sql, owners, limit)}) t join payments p using (id)
     order by t.rank, t.due`;
}

/** Claims those of the payments that are still due. A payment whose row a commit holds is left for the next round. */
export async function claimDue(sql: Postgres, ids: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    update payments
       set due_at = now() + least(${FIRST_WAIT}::text::interval * power(2, least(due_sends, ${MAX_DOUBLINGS})),
                                  ${MAX_WAIT}::text::interval),
           due_sends = due_sends + 1
     where id in (select id from payments
                   where id = any(split(${joinColumn(ids, (id) => id)})) and due_at <= now()
                     for update skip locked)
    returning id`;
  return new Set(rows.map(({ id }) => id));
}

/** Lets other payments go first: the partition of these takes no commands for now. */
export async function deferDue(sql: Postgres, ids: readonly string[]): Promise<void> {
  await sql`
    update payments set due_at = now() + ${DEFERRED_FOR}::text::interval
     where id in (select id from payments
                   where id = any(split(${joinColumn(ids, (id) => id)})) and due_at <= now()
                     for update skip locked)`;
}
