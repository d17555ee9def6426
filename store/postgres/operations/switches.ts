// Kill switches in Postgres. A switch without a row is on.
import type { Postgres } from '../client.js';
import { selectActor, type Actor } from './audit.js';

export interface SwitchRow {
  readonly name: string;
  readonly isOn: boolean;
  readonly changedAt: Date;
}

/** Lists the switches that were ever turned, by name. */
export async function listSwitches(sql: Postgres): Promise<SwitchRow[]> {
  return sql<SwitchRow[]>`
    select name, is_on as "isOn", changed_at as "changedAt" from switches order by name`;
}

/** Loads the names of the switches that are off. */
export async function loadSwitchedOff(sql: Postgres): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select name from switches where not is_on`;
  return rows.map(({ name }) => name);
}

export async function turnSwitch(
  sql: Postgres,
  actor: Actor,
  name: string,
  isOn: boolean,
): Promise<SwitchRow[]> {
  return sql<SwitchRow[]>`
    with ${selectActor(sql, actor)}
    insert into switches (name, is_on) select ${name}, ${isOn} from acting
    on conflict (name) do update
       set is_on = excluded.is_on,
           changed_at = case when switches.is_on = excluded.is_on then switches.changed_at
                             else now() end
    returning name, is_on as "isOn", changed_at as "changedAt"`;
}
