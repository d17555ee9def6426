// Administrators: listed, given a role, disabled and enabled again.
import type { UserId } from '#actors/core/ids.js';
import { type Actor, nameActor } from '../operations/audit.js';
import type { Postgres } from '../client.js';
import { insertMailsFrom, type Mail } from './mails.js';

export interface AdministratorRow {
  readonly id: UserId;
  readonly email: string;
  readonly role: string;
  readonly language: string;
  readonly hasTotp: boolean;
  readonly hasSecondFactor: boolean;
  readonly createdAt: Date;
  /** null: active. */
  readonly disabledAt: Date | null;
}

/** Only operators with access to the database create administrators, so their number is small. */
const MAX_LISTED = 1_000;

/** Oldest first. */
export async function listAdministrators(sql: Postgres): Promise<AdministratorRow[]> {
  return sql<AdministratorRow[]>`
    select id, email, role, language, totp_confirmed_at is not null as "hasTotp",
           has_second_factor(users) as "hasSecondFactor",
           created_at as "createdAt", disabled_at as "disabledAt"
      from users where merchant_id is null order by created_at, id limit ${MAX_LISTED}`;
}

export interface AdministratorChange {
  readonly id: UserId;
  readonly isDisabled: boolean;
  /** null: an operator's command. */
  readonly actor: Actor | null;
  /** Notify the administrators. */
  readonly mails: readonly Mail[];
}

/** `same`: it was so before. `last`: nobody would be left who manages administrators. */
export type AdministratorResult = 'done' | 'same' | 'missing' | 'self' | 'last';

export async function setAdministrator(
  sql: Postgres,
  { id, isDisabled, actor, mails }: AdministratorChange,
): Promise<AdministratorResult> {
  const acting = actor === null ? sql`acting as (select true as is_set)` : nameActor(sql, actor);
  const [row] = await sql<{ result: AdministratorResult }[]>`
    with ${acting},
    tried as materialized (
      select set_administrator(${actor?.sessionId ?? null}, ${id}, ${isDisabled}) as result
        from acting where is_set),
    changed as materialized (select 1 from tried where result = 'done'),
    mailed as (${insertMailsFrom(sql, mails, 'changed')})
    select result from tried`;
  return row?.result ?? 'missing';
}

/** By an operator's command. `mails` notify the administrators. */
export async function setAdministratorRole(
  sql: Postgres,
  { id, role }: Pick<AdministratorRow, 'id' | 'role'>,
  mails: readonly Mail[],
): Promise<Exclude<AdministratorResult, 'self'>> {
  const [row] = await sql<{ result: Exclude<AdministratorResult, 'self'> }[]>`
    with tried as materialized (select set_administrator_role(${id}, ${role}) as result),
    changed as materialized (select 1 from tried where result = 'done'),
    mailed as (${insertMailsFrom(sql, mails, 'changed')})
    select result from tried`;
  return row?.result ?? 'missing';
}
