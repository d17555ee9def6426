// Kill switches in Postgres. A switch without a row is on.
import type { Postgres } from '../client.js';
import { selectActor, type Actor } from './audit.js';

export interface SwitchRow {
  readonly name: string;
  readonly isOn: boolean;
  /** null: it was never turned. */
  readonly changedAt: Date | null;
  /** The address of the user who turned it last, or another actor of the audit log. */
  readonly changedBy: string | null;
  /** The reason that was given then. */
  readonly reason: string | null;
}

/** The action of the entry that holds a reason. It is written by the transaction that turns the switch. */
const REASON = 'switches.reason';

/** Lists the switches that were ever turned, by name. The audit log knows who turned each, and why. */
export async function listSwitches(sql: Postgres): Promise<SwitchRow[]> {
  return sql<SwitchRow[]>`
    select s.name, s.is_on as "isOn", s.changed_at as "changedAt",
           coalesce(u.email, turned.actor) as "changedBy", given.reason
      from switches s
      left join lateral (
        select actor, transaction from audit_log
         where target = s.name and action in ('switches.insert', 'switches.update')
         order by id desc limit 1) as turned on true
      left join users u on u.id = turned.actor
      left join lateral (
        select after::json ->> 'reason' as reason from audit_log
         where target = s.name and action = ${REASON} and transaction = turned.transaction
         limit 1) as given on true
     order by s.name`;
}

/** Loads the names of the switches that are off. */
export async function loadSwitchedOff(sql: Postgres): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select name from switches where not is_on`;
  return rows.map(({ name }) => name);
}

export interface Turn {
  readonly name: string;
  readonly isOn: boolean;
  readonly reason: string | null;
}

export async function turnSwitch(
  sql: Postgres,
  actor: Actor,
  { name, isOn, reason }: Turn,
): Promise<void> {
  await sql`
    with ${selectActor(sql, actor)},
    given as (
      insert into audit_log (actor, address, action, target, after)
      select ${actor.userId}, ${actor.address}, ${REASON}, ${name},
             json_build_object('reason', ${reason}::text)::text
        from acting where ${reason}::text is not null)
    insert into switches (name, is_on) select ${name}, ${isOn} from acting
    on conflict (name) do update
       set is_on = excluded.is_on,
           changed_at = case when switches.is_on = excluded.is_on then switches.changed_at
                             else now() end`;
}
