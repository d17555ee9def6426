// Replays and drops dead letters that are named one by one. A replay keeps id and bytes of the event and
// starts the schedule again, at once; the webhooks processes are told. Each act is in the audit log.
import type { Postgres } from '#store/postgres/client.js';
import { notifyDue } from '../due-notifications.js';
import { selectAuditValues, type DoneBy } from './audit-values.js';

/** Of one call. */
export const MAX_NAMED = 1_000;

export interface NamedDeadLetters {
  /** At most MAX_NAMED; what is not dead, or of another merchant, is left out of the answer. */
  readonly ids: readonly string[];
  /** null: of whichever, for operators. */
  readonly merchantId: string | null;
}

export interface Replayed {
  readonly id: string;
  /** inactive: its endpoint is switched off or deleted; it stays dead. */
  readonly outcome: 'replayed' | 'inactive';
}

export async function replayDeadLetters(
  sql: Postgres,
  { ids, merchantId }: NamedDeadLetters,
  by: DoneBy,
): Promise<Replayed[]> {
  const audit = selectAuditValues(sql, by, 'webhooks.replay', describe(ids));
  return sql<Replayed[]>`
    with named as materialized (
      select d.id, w.active from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
       where d.id = any(${checkCount(ids)}::text[]) and d.status = 'dead'
         and (${merchantId}::text is null or w.merchant_id = ${merchantId})),
    moved as (
      update webhook_deliveries d
         set status = 'pending', step = 0, settled_at = null, next_attempt_at = now()
        from named where d.id = named.id and named.active and d.status = 'dead'
      returning d.id, d.endpoint_id),
    told as materialized (select id, ${notifyDue(sql)} from moved),
    audited as (
      insert into audit_log (actor, address, action, target, after)
      select ${audit}, json_build_object('replayed', json_agg(id))::text
        from moved having count(*) > 0)
    select id, 'replayed' as outcome from told
    union all
    select id, 'inactive' from named where not active`;
}

/** Drops them for good, with their attempts; answers the ids of those that were dead. */
export async function dropDeadLetters(
  sql: Postgres,
  { ids, merchantId }: NamedDeadLetters,
  by: DoneBy,
): Promise<string[]> {
  const audit = selectAuditValues(sql, by, 'webhooks.drop', describe(ids));
  const rows = await sql<{ id: string }[]>`
    with dropped as (
      delete from webhook_deliveries d using webhook_endpoints w
       where d.id = any(${checkCount(ids)}::text[]) and d.status = 'dead' and w.id = d.endpoint_id
         and (${merchantId}::text is null or w.merchant_id = ${merchantId})
      returning d.id, d.event_id, d.endpoint_id, d.type, d.reason),
    audited as (
      insert into audit_log (actor, address, action, target, before)
      select ${audit}, json_agg(dropped)::text from dropped having count(*) > 0)
    select id from dropped`;
  return rows.map(({ id }) => id);
}

function checkCount(ids: readonly string[]): string[] {
  if (ids.length > MAX_NAMED) throw new RangeError(`at most ${MAX_NAMED} deliveries at once`);
  return [...ids];
}

const describe = (ids: readonly string[]): string =>
  ids.length === 1 ? (ids[0] ?? '') : `${ids.length} deliveries`;
