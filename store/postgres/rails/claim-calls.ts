// Claims calls to rails. A claimed call counts as sent: the compare-and-set from `due` to `sent` is committed before the
// rail is called, and a sent call is never made again, except a refund whose request had not begun or whose
// rail knows its key. The same statement schedules a status inquiry of the order or refund, so that nothing is forgotten
// when the process dies right after it. serve-rails.ts names the states.
import { REFUND_SENT_WITHIN_MS } from '#actors/core/payment/refunds.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { Postgres } from '../client.js';
import { Turns } from '../turns.js';

export type CallOperation = 'charge' | 'close' | 'refund';

export interface CallQueue {
  readonly rail: RailName;
  readonly operation: CallOperation;
  /** By method: how long the rail keeps each order open, where orders have no expiry of their own. */
  readonly openMs?: Readonly<Record<string, number>>;
  /** Without it, each claim begins with the first merchants. */
  readonly turns?: Turns;
}

/** Merchants take turns in the calls of a queue. */
export function createCallTurns({ rail, operation }: Omit<CallQueue, 'turns'>): Turns {
  return new Turns((sql) => ({
    table: sql`rail_calls`,
    waiting: sql`state = 'due' and rail = ${rail} and operation = ${operation}`,
    key: sql`merchant_id`,
    dueAt: sql`due_at`,
  }));
}

export interface ClaimedCall {
  readonly id: string;
  readonly request: string;
  /** The payment's current snapshot. */
  readonly snapshot: string;
  /** The time of the claim, in full precision: it tells this claim from others of the same call. */
  readonly sentAt: string;
  /** Whether its merchant takes LIVE payments at the moment of the claim. */
  readonly takesPayments: boolean;
  /** A failover of Postgres may have lost an earlier claim of the call, so the call may have been made. */
  readonly isDoubtful: boolean;
}

/** The error of a command's age, which a payments process measures. */
const AGE_ERROR = '1 second';

/** Late settlements arrive hours after an order has expired at its rail. */
const INQUIRE_AFTER_EXPIRY = '1 day';
/** A refund is a task after hours (overdue-refunds.ts); the rail's word still counts for so long. */
const INQUIRE_REFUND = '30 days';

/**
 * Claims up to `limit` calls of a queue: merchants take turns, and the longest due call of each comes first. A status inquiry
 * follows unless the answer is stored within `answerMs`. A close begins the order's schedule again: the order has to be
 * closed soon.
 */
export async function claimCalls(
  sql: Postgres,
  { rail, operation, openMs = {}, turns = createCallTurns({ rail, operation }) }: CallQueue,
  limit: number,
  answerMs: number,
): Promise<ClaimedCall[]> {
  const keys = await turns.listKeys(sql);
  if (keys.length === 0) return [];
  const isSendable = sql`(operation <> 'refund'
    or requested_at > now() - ${REFUND_SENT_WITHIN_MS}::float8 * interval '1 millisecond')`;
  return sql<ClaimedCall[]>`
    with due as (
      select id from rail_calls
       where id in (select t.id from (${turns.select(sql, keys, limit, isSendable)}) t) and state = 'due'
         for update skip locked),
    sent as (
      update rail_calls c set state = 'sent', sent_at = now(), begun_at = null from due where c.id = due.id
      returning c.id, c.payment_id, c.merchant_id, c.rail, c.operation, c.request, c.sent_at, c.commanded_at),
    named as (
      select distinct on (inquiry_id) *
        from (select s.*, case s.operation when 'refund' then s.id
                               else s.request::json ->> 'orderId' end as inquiry_id from sent s) as n),
    inquired as (
      insert into status_inquiries (id, kind, rail, payment_id, merchant_id, due_at, inquire_until)
      select inquiry_id, case operation when 'refund' then 'refund' else 'order' end, rail, payment_id,
             merchant_id, now() + ${answerMs}::float8 * interval '1 millisecond',
             case operation
               when 'charge' then greatest(
                 to_timestamp((request::json ->> 'expiresAtMs')::float8 / 1000),
                 now() + (${JSON.stringify(openMs)}::text::json ->> (request::json ->> 'method'))::float8
                         * interval '1 millisecond') + ${INQUIRE_AFTER_EXPIRY}::text::interval
               when 'refund' then now() + ${INQUIRE_REFUND}::text::interval
               else now() + ${INQUIRE_AFTER_EXPIRY}::text::interval end
        from named
      on conflict (id) do update
         set due_at = least(status_inquiries.due_at, excluded.due_at),
             step = case ${operation} when 'close' then 0 else status_inquiries.step end)
    select s.id, s.request, p.snapshot, s.sent_at::text as "sentAt",
           takes_payments(p.merchant_id, 'LIVE') as "takesPayments",
           s.commanded_at < d.until + ${AGE_ERROR}::text::interval as "isDoubtful"
      from sent s cross join (select note_timeline() as until offset 0) as d join payments p on p.id = s.payment_id`;
}
