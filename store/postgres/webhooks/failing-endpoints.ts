// Endpoints at which every attempt fails. Each recorded attempt notes the failure or deletes the note (record-attempts.ts);
// these statements draw the consequences: they flag an endpoint after an hour, and disable it after five days with an
// event for the merchant. The time runs from the first failure since a success to the latest failure, so an endpoint
// without deliveries does not get closer to it. A reactivated endpoint starts from zero.
import type { Environment } from '#actors/core/ids.js';
import type { NoticeKind } from '../accounts/notices.js';
import type { Postgres } from '../client.js';

const FLAG_AFTER = '1 hour';
const DISABLE_AFTER = '5 days';

/** For each row of an endpoint `w` and its failures `f`: the merchant hears of it by mail, once for these failures. */
const writeNotice = (sql: Postgres, kind: NoticeKind) => sql`
  write_notice(${kind}, w.merchant_id, w.id || ' ' || f.since,
               json_build_object('endpoint', w.id, 'environment', w.environment, 'url', w.url,
                                 'since', f.since))`;

/** Returns the ids of newly flagged endpoints. */
export async function flagFailing(sql: Postgres): Promise<string[]> {
  const rows = await sql<{ endpointId: string }[]>`
    with flagged as (
      update webhook_endpoint_failures set flagged_at = now()
       where flagged_at is null and latest - since >= ${FLAG_AFTER}::text::interval
      returning endpoint_id, since)
    select f.endpoint_id as "endpointId", ${writeNotice(sql, 'endpoint_failing')}
      from flagged f left join webhook_endpoints w on w.id = f.endpoint_id and w.active`;
  return rows.map(({ endpointId }) => endpointId);
}

/** Disables endpoints and stores the events for their merchants in one statement; returns the endpoints' ids. */
export async function disableFailing(sql: Postgres): Promise<string[]> {
  const rows = await sql<{ endpointId: string }[]>`
    with failed as (
      delete from webhook_endpoint_failures
       where latest - since >= ${DISABLE_AFTER}::text::interval
      returning endpoint_id, since),
    disabled as (
      update webhook_endpoints w set active = false
        from failed f where w.id = f.endpoint_id and w.active
      returning w.id, w.merchant_id, w.environment, w.url, f.since),
    notified as (
      insert into owner_events (id, merchant_id, environment, type, subject_id, details)
      select 'evt_' || left(encode(sha256(convert_to(id || ' ' || since::text, 'UTF8')), 'hex'), 32),
             merchant_id, environment, 'endpoint.disabled', id,
             json_build_object('url', url, 'failing_since', since)::text
        from disabled
      on conflict do nothing)
    select w.id as "endpointId", ${writeNotice(sql, 'endpoint_disabled')}
      from disabled w join failed f on f.endpoint_id = w.id`;
  return rows.map(({ endpointId }) => endpointId);
}

export const OWNER_EVENT_TYPES = ['endpoint.disabled'] as const;

export interface OwnerEvent {
  readonly id: string;
  readonly type: (typeof OWNER_EVENT_TYPES)[number];
  readonly environment: Environment;
  /** The endpoint's id. */
  readonly subjectId: string;
  readonly at: Date;
  /** The endpoint's address at that time. */
  readonly url: string;
  readonly failingSince: Date;
}

/** Events for the merchant, newest first; `environment` null: of both. */
export async function listOwnerEvents(
  sql: Postgres,
  { merchantId, environment }: { merchantId: string; environment: Environment | null },
  limit: number,
): Promise<OwnerEvent[]> {
  return sql<OwnerEvent[]>`
    select id, type, environment, subject_id as "subjectId", at, details::json ->> 'url' as url,
           (details::json ->> 'failing_since')::timestamptz as "failingSince"
      from owner_events
     where merchant_id = ${merchantId} and environment = any(case
             when ${environment}::text is null then '{TEST,LIVE}'::text[]
             else array[${environment}::text] end)
     order by at desc, id desc limit ${limit}`;
}
