// Callbacks of rails, stored unchanged and once. The statement that stores a callback also makes its subject due for a
// status inquiry, so a stored callback is never forgotten. A repeat does so again: rails repeat what they think is unknown
// here. The report stays unconfirmed until an inquiry has found it; until then inquiries follow a fast schedule.
import type { ReportedState } from '#actors/core/statuses.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { UnresolvedOrderTask } from '#actors/core/tasks/unknown-order.js';
import type { Postgres } from '../client.js';

/** Between the inquiries of one subject, so that a storm of callbacks is no storm of inquiries. */
const MIN_BETWEEN = '1 second';
const MIN_BEFORE_REPEAT = '10 seconds';

export interface NewCallback {
  readonly rail: RailName;
  readonly dedupeKey: string;
  /** null: about no order, refund or payout. */
  readonly subject: {
    readonly kind: 'order' | 'refund' | 'payout';
    /** null: an order that is named by the rail's own ids alone, `reference` or that of its payment. */
    readonly id: string | null;
    readonly reference: string | null;
    readonly transactionId?: string | null;
  } | null;
  /** null: nothing that an inquiry could find. */
  readonly reports: ReportedState | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly body: Buffer;
}

/** store/postgres/schema/0006_rails.sql describes them. */
export const CALLBACK_STATUSES = [
  'taken',
  'unknown_order',
  'booked',
  'dismissed',
  'ignored',
] as const;

export interface StoredCallback {
  readonly status: (typeof CALLBACK_STATUSES)[number];
  readonly isRepeat: boolean;
}

/** An unknown order is inquired after `inquireInMs`. */
export async function storeCallback(
  sql: Postgres,
  callback: NewCallback,
  inquireInMs: number,
): Promise<StoredCallback> {
  const { rail, dedupeKey, subject, reports, amount, currency, body } = callback;
  const rows = await sql<StoredCallback[]>`
    with before as (
      select status from rail_callbacks where rail = ${rail} and dedupe_key = ${dedupeKey}),
    known as (
      ${selectInquiry(sql, callback)}),
    expedited as (
      update status_inquiries i
         set due_at = least(i.due_at, greatest(now(), i.inquired_at + k.pause)),
             reference = coalesce(i.reference, ${subject?.reference ?? null}),
             inquire_until = greatest(i.inquire_until, now() + interval '1 hour'),
             callbacks = i.callbacks + 1, fast_step = 0,
             unconfirmed = array(select distinct s from unnest(i.unconfirmed || ${reports}::text) as s
                                  where s is not null order by s)
        from (select inquiry_id, case when exists (select from before where status <> 'unknown_order')
                                 then ${MIN_BEFORE_REPEAT}::interval else ${MIN_BETWEEN}::interval end
                               as pause from known) as k
       where i.id = k.inquiry_id and i.rail = ${rail}),
    subject as (
      select case when ${subject === null} then 'ignored'
                  when exists (select from known) then 'taken'
                  else 'unknown_order' end as status)
    insert into rail_callbacks as c
           (rail, dedupe_key, status, subject_kind, subject_id, reference, amount, currency, body,
            judge_at)
    select ${rail}, ${dedupeKey}, s.status, ${subject?.kind ?? null}, ${subject?.id ?? null},
           ${subject?.reference ?? null}, ${amount}::text::bigint, ${currency},
           decode(${body.toString('hex')}, 'hex'),
           case when s.status = 'unknown_order' and ${subject?.kind === 'order' && subject.id !== null}
             then now() + ${inquireInMs}::float8 * interval '1 millisecond' end
      from subject s
    on conflict (rail, dedupe_key) do update
       set repeats = c.repeats + 1,
           status = case c.status when 'unknown_order' then excluded.status else c.status end,
           judge_at = case c.status when 'unknown_order'
             then case excluded.status when 'unknown_order' then c.judge_at end end
    returning c.status, c.repeats > 0 as "isRepeat"`;
  const [stored] = rows;
  if (stored === undefined) throw new Error('the statement that stores a callback returned no row');
  return stored;
}

/** Selects the status inquiry of the subject as `inquiry_id`; null when the subject is ours and has none any more. */
function selectInquiry(sql: Postgres, { rail, subject }: NewCallback) {
  if (subject?.kind === 'order' && subject.id === null) {
    return sql`
      select id as inquiry_id from status_inquiries where rail = ${rail} and reference = ${subject.reference}
       union
      select p.snapshot::json -> 'internal' -> 'capture' ->> 'orderId'
        from rail_transactions t join payments p on p.id = t.payment_id
       where t.rail = ${rail} and t.transaction_id = ${subject.transactionId ?? null}`;
  }
  if (subject?.kind === 'order') {
    return sql`select id as inquiry_id from status_inquiries where id = ${subject.id} and rail = ${rail}`;
  }
  if (subject?.kind === 'refund') {
    // Also of an answered call: a rail may report success after it has reported a failure. The id of a refund's call begins
    // with that of its payment.
    return sql`
      select c.id as inquiry_id from refunds r left join rail_calls c
          on c.id between 'call_' || substr(r.payment_id, 5) and 'call_' || substr(r.payment_id, 5) || 'zzzzzz'
             and c.state <> 'due' and c.operation = 'refund' and c.request::json ->> 'refundId' = r.id
       where r.id = ${subject.id} and r.environment = 'LIVE'`;
  }
  if (subject?.kind === 'payout') {
    return sql`
      select null as inquiry_id from payouts where id = ${subject.id} and environment = 'LIVE'`;
  }
  return sql`select null as inquiry_id where false`;
}

/** A callback about an order that was unknown when it arrived. */
export interface UnknownOrder {
  readonly rail: RailName;
  readonly dedupeKey: string;
  readonly orderId: string;
  readonly reference: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  /** How often its rail was asked before. */
  readonly inquiries: number;
}

/** Claims up to `limit` due orders; each is due again after `againMs`, until it is ended. */
export async function claimUnknownOrders(
  sql: Postgres,
  rails: readonly RailName[],
  limit: number,
  againMs: number,
): Promise<UnknownOrder[]> {
  return sql<UnknownOrder[]>`
    with due as (
      select rail, dedupe_key from rail_callbacks
       where judge_at <= now() and rail = any(${rails}::text[])
       order by judge_at limit ${limit} for update skip locked)
    update rail_callbacks c
       set judge_at = now() + ${againMs}::float8 * interval '1 millisecond', judged = c.judged + 1
      from due d where c.rail = d.rail and c.dedupe_key = d.dedupe_key
    returning c.rail, c.dedupe_key as "dedupeKey", c.subject_id as "orderId", c.reference,
              c.amount::text, c.currency, c.judged - 1 as inquiries`;
}

/**
 * booked: its money is in the ledger. dismissed: its rail holds no money for it, or gave no answer, which opens the task.
 */
export async function endUnknownOrder(
  sql: Postgres,
  { rail, dedupeKey }: Pick<UnknownOrder, 'rail' | 'dedupeKey'>,
  status: 'booked' | 'dismissed',
  task: UnresolvedOrderTask | null = null,
): Promise<void> {
  await sql`
    with ended as (
      update rail_callbacks set status = ${status}, judge_at = null
       where rail = ${rail} and dedupe_key = ${dedupeKey} and status = 'unknown_order' returning 1)
    insert into operator_tasks (id, kind, details, opened_at)
    select ${task?.id ?? null}, ${task?.kind ?? null}, ${task?.details ?? null},
           date_trunc('milliseconds', now())
      from ended where ${task !== null}
    on conflict (id) do nothing`;
}

/** Deletes up to `limit` callbacks older than `days` and returns how many. */
export async function deleteOldCallbacks(
  sql: Postgres,
  days: number,
  limit: number,
): Promise<number> {
  const rows = await sql`
    delete from rail_callbacks
     where (rail, dedupe_key) in (
       select rail, dedupe_key from rail_callbacks
        where received_at < now() - ${days}::float8 * interval '1 day' and judge_at is null
        order by received_at limit ${limit})
    returning 1`;
  return rows.length;
}
