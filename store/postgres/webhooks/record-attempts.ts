// Records a batch of attempts with the next steps of their deliveries, in one statement.
import type { DeliveryFailure } from '#actors/core/webhooks/failures.js';
import { type AttemptSignatures, formatSignatures } from '#actors/core/webhooks/sign.js';
import type { Postgres } from '../client.js';
import { joinColumn as join, joinValues } from '../join-column.js';

export interface AttemptRow {
  deliveryId: string;
  /** Counted from 1. The row is kept only if the delivery has one attempt fewer. */
  attempt: number;
  /** By the monotonic clock of this process. Postgres' clock says when it was. */
  beganMs: number;
  durationMs: number;
  statusCode: number | null;
  /** null: success. */
  failure: DeliveryFailure | null;
  error: string | null;
  excerpt: string | null;
  /** null: no request was sent. */
  signatures: AttemptSignatures | null;
  status: 'pending' | 'delivered' | 'dead';
  /** null unless the delivery stays pending. */
  nextInMs: number | null;
}

/** Milliseconds. An attempt whose rows somebody has locked must not hold up the attempts of the same batch. */
const LOCK_TIMEOUT_MS = '200';

export const UNRECORDED = 'not_recorded';

/** The endpoint was switched off, so that no request was sent: the delivery keeps its attempts and their last reason. */
const UNSENT = 'endpoint_inactive' satisfies DeliveryFailure;

/** Failures that say nothing about the endpoint. */
const OWN_FAILURES = joinValues([UNSENT, 'secret_unreadable'] satisfies DeliveryFailure[]);

/**
 * Records attempts, and notes which endpoints fail. An attempt of a worker that lost its lease is not kept, because the
 * delivery has moved on. A delivery may occur once in a batch. `is not distinct from` hides the condition of the indexes of
 * pending deliveries, which Postgres believes to be nearly empty.
 */
export async function recordAttempts(sql: Postgres, rows: readonly AttemptRow[]): Promise<void> {
  const recordedMs = performance.now();
  await sql`
    with made as (
      select * from unnest(
        split(${join(rows, (row) => row.deliveryId)}),
        split(${join(rows, (row) => row.attempt)})::integer[],
        split(${join(rows, (row) => Math.round(recordedMs - row.beganMs))})::bigint[],
        split(${join(rows, (row) => row.durationMs)})::integer[],
        split(${join(rows, (row) => row.statusCode)})::smallint[],
        split(${join(rows, (row) => row.failure)}),
        ${rows.map((row) => row.error)}::text[],
        ${rows.map((row) => row.excerpt)}::text[],
        split(${join(rows, ({ signatures }) => signatures && formatSignatures(signatures))}),
        split(${join(rows, (row) => row.status)}),
        split(${join(rows, (row) => row.nextInMs)})::bigint[])
        as m (id, attempt, began_ago_ms, duration_ms, status_code, failure, error, excerpt, signatures, status,
              next_in_ms)
       where set_config('lock_timeout', ${LOCK_TIMEOUT_MS}, true) is not null),
    moved as (
      update webhook_deliveries d
         set attempts = case when m.failure = ${UNSENT} then d.attempts else m.attempt end, step = d.step + 1,
             status = m.status,
             reason = case when m.failure = ${UNSENT} then coalesce(d.reason, m.failure) else m.failure end,
             next_attempt_at = now() + coalesce(m.next_in_ms, 0) * interval '1 ms',
             settled_at = case when m.status <> 'pending' then now() end
        from made m
       where d.id = m.id and d.attempts = m.attempt - 1 and d.status is not distinct from 'pending'
      returning d.id, d.endpoint_id, m.failure),
    recovered as (
      delete from webhook_endpoint_failures
       where endpoint_id = any(array(select distinct endpoint_id from moved where failure is null))),
    failing as (
      insert into webhook_endpoint_failures as f (endpoint_id, failures)
      select endpoint_id, count(*) from moved group by endpoint_id
      having bool_and(failure is not null) and not bool_or(failure = any(split(${OWN_FAILURES})))
       order by endpoint_id
      on conflict (endpoint_id) do update set latest = now(), failures = f.failures + excluded.failures)
    insert into webhook_attempts
      (delivery_id, attempt, at, duration_ms, status_code, failure, error, excerpt, signatures)
    select m.id, m.attempt, now() - m.began_ago_ms * interval '1 ms', m.duration_ms, m.status_code,
           m.failure, m.error, m.excerpt, coalesce(m.signatures, '')
      from made m join moved using (id)
     where m.failure is distinct from ${UNSENT}
    on conflict do nothing`;
}

/** An endpoint whose breaker has opened: nothing is sent to it for this time. */
export interface EndpointPause {
  readonly endpointId: string;
  readonly pauseMs: number;
}

/** Notes for the merchant when each pause ends. An endpoint that has succeeded meanwhile has no row, and gets none. */
export async function notePauses(sql: Postgres, pauses: readonly EndpointPause[]): Promise<void> {
  await sql`
    update webhook_endpoint_failures f set paused_until = now() + p.pause_ms * interval '1 ms'
      from unnest(split(${join(pauses, ({ endpointId }) => endpointId)}),
                  split(${join(pauses, ({ pauseMs }) => Math.round(pauseMs))})::bigint[]) as p (endpoint_id, pause_ms)
     where set_config('lock_timeout', ${LOCK_TIMEOUT_MS}, true) is not null and f.endpoint_id = p.endpoint_id`;
}

/** Ends the delivery of an attempt that Postgres refuses to store: a further attempt would be sent again and again. */
export async function settleUnrecorded(
  sql: Postgres,
  { deliveryId, attempt, failure }: AttemptRow,
): Promise<void> {
  const status = failure === null ? 'delivered' : 'dead';
  await sql`
    update webhook_deliveries
       set attempts = ${attempt}::integer, step = step + 1, status = ${status}, settled_at = now(),
           reason = ${UNRECORDED satisfies DeliveryFailure}
     where set_config('lock_timeout', ${LOCK_TIMEOUT_MS}, true) is not null
       and id = ${deliveryId} and attempts = ${attempt}::integer - 1
       and status is not distinct from 'pending'`;
}
