// Replays and drops dead letters by id. A replay keeps id and bytes of the event, restarts the retry schedule at once, and
// notifies the webhooks processes. The audit log has each replay and drop.
import type { Postgres } from '#store/postgres/client.js';
import { notifyDue } from '../due-deliveries.js';
import { selectAuditValues, type DoneBy } from './dead-letter-scope.js';

/** Deliveries of one call. */
export const MAX_NAMED = 1_000;

export interface NamedDeadLetters {
  /** MAX_NAMED at most. Deliveries that are not dead or belong to another merchant are left out of the result. */
  readonly ids: readonly string[];
  /** null: any merchant, for operators. */
  readonly merchantId: string | null;
}

export interface Replayed {
  readonly id: string;
  /** `inactive`: the endpoint is inactive or deleted, so the delivery stays dead. */
  readonly outcome: 'replayed' | 'inactive';
}

export interface NamedLetter {
  readonly id: string;
  /** Of its endpoint. Dead letters of an inactive one are not replayed. */
  readonly isActive: boolean;
}

/** The dead letters among them, before a replay or a drop. */
export async function findNamed(sql: Postgres, named: NamedDeadLetters): Promise<NamedLetter[]> {
  return sql<
    NamedLetter[]
  >`select id, active as "isActive" from (${selectNamed(sql, named)}) named`;
}

const selectNamed = (sql: Postgres, { ids, merchantId }: NamedDeadLetters) => sql`
  select d.id, w.active from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
   where d.id = any(${checkCount(ids)}::text[]) and d.status = 'dead'
     and (${merchantId}::text is null or w.merchant_id = ${merchantId})`;

export async function replayDeadLetters(
  sql: Postgres,
  named: NamedDeadLetters,
  by: DoneBy,
): Promise<Replayed[]> {
  const { ids, merchantId } = named;
  const audit = selectAuditValues(sql, { ...by, merchantId }, 'webhooks.replay', describe(ids));
  return sql<Replayed[]>`
    with named as materialized (${selectNamed(sql, named)}),
    moved as (
      update webhook_deliveries d
         set status = 'pending', step = 0, settled_at = null, next_attempt_at = now()
        from named where d.id = named.id and named.active and d.status = 'dead'
      returning d.id, d.endpoint_id),
    notified as materialized (select id, ${notifyDue(sql)} from moved),
    audited as (
      insert into audit_log (chain, actor, address, action, target, after)
      select ${audit}, json_build_object('replayed', json_agg(id))::text
        from moved having count(*) > 0)
    select id, 'replayed' as outcome from notified
    union all
    select id, 'inactive' from named where not active`;
}

/** Deletes dead letters with their attempts; returns the ids of the deleted ones. */
export async function dropDeadLetters(
  sql: Postgres,
  { ids, merchantId }: NamedDeadLetters,
  by: DoneBy,
): Promise<string[]> {
  const audit = selectAuditValues(sql, { ...by, merchantId }, 'webhooks.drop', describe(ids));
  const rows = await sql<{ id: string }[]>`
    with dropped as (
      delete from webhook_deliveries d using webhook_endpoints w
       where d.id = any(${checkCount(ids)}::text[]) and d.status = 'dead' and w.id = d.endpoint_id
         and (${merchantId}::text is null or w.merchant_id = ${merchantId})
      returning d.id, d.event_id, d.endpoint_id, d.type, d.reason),
    audited as (
      insert into audit_log (chain, actor, address, action, target, before)
      select ${audit}, json_agg(dropped)::text from dropped having count(*) > 0)
    select id from dropped`;
  return rows.map(({ id }) => id);
}

function checkCount(ids: readonly string[]): string[] {
  if (ids.length > MAX_NAMED)
    throw new RangeError(`${ids.length} deliveries exceed the limit of ${MAX_NAMED}`);
  return [...ids];
}

const describe = (ids: readonly string[]): string =>
  ids.length === 1 ? (ids[0] ?? '') : `${ids.length} deliveries`;
