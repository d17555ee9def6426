// Operators say which payments processes own partitions (docs/decisions/0085-operators-move-partitions.md). The processes hand the
// partitions over themselves, so that each finishes its batch; partition-leases.ts has the rules.
import type { Postgres } from '../client.js';

/** The processes listen to it (subscribeFreedPartitions). */
const CHANNEL = 'kasir_partitions';
/** The former owner finishes its batch in this time. Afterwards any process may claim the partition. */
export const MOVES_WITHIN_S = 5;

/** A payments process with a valid lease. */
export interface PaymentsProcess {
  readonly name: string;
  readonly partitions: number;
  readonly isDrained: boolean;
  /** It is not drained, and reaches Redis. */
  readonly canOwn: boolean;
}

/** Sorted by name. */
export async function listPaymentsProcesses(sql: Postgres): Promise<PaymentsProcess[]> {
  return sql<PaymentsProcess[]>`
    select w.name, w.is_drained as "isDrained", w.hears_redis and not w.is_drained as "canOwn",
           (select count(*)::integer from partitions where owner = w.name) as partitions
      from payments_processes w where w.lease_until > now() order by w.name`;
}

/** Stores that the process is drained or not, with a row of the audit log; does nothing if it is stored already. */
export async function setDrained(
  sql: Postgres,
  actor: string,
  name: string,
  isDrained: boolean,
): Promise<void> {
  await sql`
    with changed as (
      update payments_processes
         set is_drained = ${isDrained}, hears_redis = hears_redis and not ${isDrained},
             redis_since = case when ${isDrained} then '-infinity' else now() end
       where name = ${name} and is_drained <> ${isDrained} returning name),
    recorded as (
      insert into audit_log (chain, actor, action, target, after)
      select '', ${actor}, 'partitions.drain', name, json_build_object('is_drained', ${isDrained}::boolean)::text
        from changed)
    select pg_notify(${CHANNEL}, '') from changed`;
}

/** Reserves the partition for the process, with a row of the audit log; does nothing if the process owns it. */
export async function movePartition(
  sql: Postgres,
  actor: string,
  partition: number,
  name: string,
): Promise<void> {
  await sql`
    with before as (select id, owner from partitions where id = ${partition} and owner is distinct from ${name}),
    changed as (
      update partitions p set moves_to = ${name}, moves_until = now() + ${MOVES_WITHIN_S} * interval '1 s'
        from before where p.id = before.id returning p.id, before.owner),
    recorded as (
      insert into audit_log (chain, actor, action, target, before, after)
      select '', ${actor}, 'partitions.move', id::text, json_build_object('owner', owner)::text,
             json_build_object('owner', ${name}::text)::text
        from changed)
    select pg_notify(${CHANNEL}, '') from changed`;
}
